#!/usr/bin/env python3
"""generate.py FILE [--cc COMPILER] [-IFOLDER...]: makes clsolve.f90, of the public headers, friendly.f90 and views.f90.

A new call, structure, constant or handle of the headers needs nothing here. A declaration without a translation is an
error that names it. Rules:

  a call            a binding with the same name and the same arguments
  a handle          type(c_ptr) in the bindings; and a type that finalizes it, with the calls on it as procedures
  a view            a structure by which a call finds arrays. Calls of the type need it
  other pointers    optional in the bindings; in a type's procedures they stand after `status`. Left out: NULL

An inline function of the headers has no symbol to bind. The table INLINE names its counterpart in views.f90.
"""

import re
import shlex
import sys
from pathlib import Path

import headers
import template
from headers import Unknown

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 116

SCALARS = {
    "int": "integer(c_int)",
    "int32_t": "integer(c_int32_t)",
    "int64_t": "integer(c_int64_t)",
    "uint64_t": "integer(c_int64_t)",
    "size_t": "integer(c_size_t)",
    "double": "real(c_double)",
    "float": "real(c_float)",
    "char": "character(kind=c_char)",
}

# Arguments that are one number which the call writes. Other pointers to numbers are arrays.
SINGLE = {"count", "device_seconds", "host_seconds", "rcond", "symmetric"}

# A size among the arguments of a type's procedure.
SIZE = "integer(c_int64_t), intent(in) ::"

# The counterparts of inline functions: how their names begin, and the procedure or the constructor.
INLINE = {
    "clsolve_matrix_": "clsolve_matrix_of",
    "clsolve_csr_": "clsolve_csr_of",
    "clsolve_batch_": "clsolve_batch_of",
    "clsolve_grid_": "clsolve_grid_of",
    "clsolve_opencl_matrix": "clsolve_matrix",
    "clsolve_opencl_grid": "clsolve_grid",
    "clsolve_opencl_batch": "clsolve_batch",
    "clsolve_opencl_events": "clsolve_events",
    "clsolve_cuda_matrix": "clsolve_matrix",
    "clsolve_cuda_grid": "clsolve_grid",
    "clsolve_cuda_batch": "clsolve_batch",
    "clsolve_cuda_events": "clsolve_events",
}

HEAD = """! clsolve.f90: libclsolve for Fortran 2018. src/fortran/generate.py makes it of the public headers.
!
! The headers are the manual of the calls: shapes, units, errors. docs/fortran.md says how Fortran meets them.
module clsolve
    use, intrinsic :: iso_c_binding
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    implicit none
    private
"""


def wrap(indent, begin, items, end=""):
    """`begin` item, item, ... `end`, on as many lines as it takes."""
    lines, line = [], indent + begin
    for number, item in enumerate(items):
        item += ", " if number + 1 < len(items) else end
        if len(line) + len(item) > WIDTH:
            lines.append(line.rstrip() + " &")
            line = indent + "    "
        line += item
    if not items:
        line += end
    return "\n".join([*lines, line.rstrip()]) + "\n"


class Writer:
    def __init__(self, interface):
        self.all = interface
        self.views = {name for name, struct in interface.structs.items() if self.is_view(struct)}

    def is_view(self, struct):
        typed = any(member.base == "clsolve_type" for member in struct.fields)
        return typed and any(member.base == "void" and member.stars for member in struct.fields)

    def scalar(self, base, what):
        if base in self.all.enumerations:
            return "integer(c_int)"
        if base in self.all.structs:
            return f"type({base})"
        if base == "clsolve_progress":
            return "type(c_funptr)"
        if base not in SCALARS:
            raise Unknown(f"{what} has the type {base}, which generate.py does not know")
        return SCALARS[base]

    # ---- constants and structures ----

    def constants(self):
        out, header = "", None
        for where, name, number in self.all.constants:
            if where != header:
                out += f"\n    ! {where}\n"
                header = where
            out += f"    integer(c_int), parameter, public :: {name} = {number}\n"
        return out

    def member(self, struct, member):
        if member.stars:
            return f"type(c_ptr) :: {member.name} = c_null_ptr"
        kind = self.scalar(member.base, f"{struct.name}.{member.name}")
        zero = {"i": "0", "r": "0", "c": "c_null_char"}[kind[0]] if kind[0] != "t" else ""
        zero = "c_null_funptr" if kind == "type(c_funptr)" else zero
        shape = f"({member.length})" if member.length else ""
        return f"{kind} :: {member.name}{shape}" + (f" = {zero}" if zero else "")

    def structures(self):
        out = ""
        for struct in self.all.structs.values():
            out += f"\n    type, bind(C), public :: {struct.name} ! {struct.header}\n"
            out += "".join(f"        {self.member(struct, member)}\n" for member in struct.fields)
            out += f"    end type {struct.name}\n"
        return out

    # ---- the bindings ----

    def dummy(self, call, argument):
        """The declaration of an argument of a binding."""
        name, base, stars, what = argument.name, argument.base, argument.stars, f"{call.name}'s {argument.name}"
        reads = "intent(in)" if argument.const or base in self.views else "intent(inout)"
        foreign = base not in SCALARS and base not in self.all.structs and base not in self.all.enumerations
        if not stars:
            known = base in SCALARS or base in self.all.enumerations
            if not known and not re.fullmatch(r"cl_\w+", base):  # cl_context and others are pointers
                raise Unknown(f"{what} is of the type {base} by value, which generate.py does not know")
            return f"{self.scalar(base, what) if known else 'type(c_ptr)'}, value :: {name}"
        if stars == 2:
            if argument.const:
                return f"type(c_ptr), intent(in), optional :: {name}(*)"
            return f"type(c_ptr), intent(inout), optional :: {name}"
        if foreign:  # void, handles, and types of OpenCL and CUDA
            return f"type(c_ptr), value :: {name}"
        array = "" if base in self.all.structs or name in SINGLE else "(*)"
        return f"{self.scalar(base, what)}, {reads}, optional :: {name}{array}"

    def result(self, call):
        if call.result.base == "void" and not call.result.stars:
            return None
        return "type(c_ptr)" if call.result.stars else self.scalar(call.result.base, f"the result of {call.name}")

    def binding(self, call):
        names = [argument.name for argument in call.arguments]
        lowered = [name.lower() for name in names] + ["outcome"]
        if len(set(lowered)) < len(lowered):
            raise Unknown(f"{call.name} has two arguments that Fortran cannot tell apart: {', '.join(names)}")
        result = self.result(call)
        kind = "function" if result else "subroutine"
        generic = call.name in GENERIC
        bind = f'bind(C, name="{call.name}")' if generic else "bind(C)"
        name = call.name + ("_c" if generic else "")
        out = wrap(" " * 8, f"{kind} {name}(", names, f") {bind}" + (" result(outcome)" if result else ""))
        out += "            import\n"
        out += "".join(f"            {self.dummy(call, argument)}\n" for argument in call.arguments)
        out += f"            {result} :: outcome\n" if result else ""
        return out + f"        end {kind} {name}\n"

    def bindings(self):
        out, header = "", None
        plain = [call for call in self.all.calls if call.name not in GENERIC]
        for call in plain:
            if call.header != header:
                out += "    end interface\n" if header else ""
                out += f"\n    ! {call.header}\n    interface\n"
                header = call.header
            out += self.binding(call)
        out += "    end interface\n"
        for call in self.all.calls:
            if call.name in GENERIC:
                out += f"\n    interface {call.name}\n{self.binding(call)}    end interface {call.name}\n"
        return out + "\n" + wrap("    ", "public :: ", [call.name for call in self.all.calls])

    # ---- the types that finalize handles ----

    def owner(self, call):
        """The handle whose procedure the call is; None: the call is a binding alone."""
        if any(argument.base in ("char", "void") and argument.stars for argument in call.arguments):
            return None
        if any(argument.base.startswith(("cl_", "CU")) for argument in call.arguments):
            return None
        if call.result.stars:
            return None
        longest = sorted((handle for handle in self.all.handles if call.name.startswith(handle + "_")), key=len)
        if not longest or call.name.endswith("_destroy"):
            return None
        handle = longest[-1]
        first = call.arguments[0].base == handle and call.arguments[0].stars == 1
        created = call.arguments[-1].base == handle and call.arguments[-1].stars == 2
        return handle if handle != "clsolve_context" and (first or created) or first else None

    def method_dummy(self, call, argument):
        """(after status, the declaration) of an argument of a type's procedure."""
        if argument.base in self.all.handles:
            intent = "intent(inout)" if argument.stars == 2 else "intent(in)"
            return False, f"class({argument.base}), {intent} :: {argument.name}"
        text = self.dummy(call, argument)
        if ", value" in text:
            return False, text.replace(", value", ", intent(in)")
        written = argument.base in self.all.structs and not argument.const
        if argument.base in self.views or written or argument.name == "rcond":
            return False, text.replace(", optional", "")
        return True, text

    def method(self, call, handle):
        short = call.name[len(handle) + 1 :]
        name = call.name[len("clsolve_") :]
        created = [a for a in call.arguments if a.base == handle and a.stars == 2]
        creates = bool(created) and call.arguments[0].base != handle
        own = created[0] if creates else call.arguments[0]
        others = [argument for argument in call.arguments if argument is not own]
        dummies = [(argument.name, *self.method_dummy(call, argument)) for argument in others]
        required = [name for name, late, _ in dummies if not late]
        late = [name for name, late, _ in dummies if late]
        result = self.result(call)
        is_status = call.result.base == "clsolve_status"
        passed = []
        for argument in call.arguments:
            if argument is own:
                passed.append("self%handle")
            else:
                passed.append(argument.name + ("%handle" if argument.base in self.all.handles else ""))
        kind = "function" if result and not is_status else "subroutine"
        names = ["self", *required, *(["status"] if is_status else []), *late]
        out = wrap("    ", f"{kind} {name}_m(", names, ")" + (" result(outcome)" if kind == "function" else ""))
        out += f"        class({handle}), intent({'inout' if creates else 'in'}) :: self\n"
        out += "".join(f"        {text}\n" for _, is_late, text in dummies if not is_late)
        out += "        integer(c_int), intent(out) :: status\n" if is_status else ""
        out += "".join(f"        {text}\n" for _, is_late, text in dummies if is_late)
        out += f"        {result} :: outcome\n" if kind == "function" else ""
        out += "\n"
        if creates:
            out += "        call self%destroy()\n        call self%join(context, status)\n"
            out += "        if (status /= CLSOLVE_OK) return\n"
        for argument in others:
            if argument.stars == 2:
                out += f"        call {argument.name}%destroy()\n        {argument.name}%owner => self%owner\n"
                out += "        if (associated(self%owner)) self%owner%users = self%owner%users + 1\n"
        target = "outcome = " if kind == "function" else "status = " if is_status else "call "
        out += wrap(" " * 8, f"{target}{call.name}(", passed, ")")
        procedures = [name + "_m"]
        out += f"    end {kind} {name}_m\n"
        if SIZE in out and kind == "subroutine":
            out += self.by_default_integers(out, names)
            procedures.append(name + "_i")
        return short, procedures, out

    def by_default_integers(self, text, names):
        """The same procedure once more, with sizes that are default integers."""
        head, _, body = text.partition("\n\n")
        sizes = set(re.findall(re.escape(SIZE) + r" (\w+)", head))
        passed = [f"int({name}, c_int64_t)" if name in sizes else name for name in names[1:]]
        head = head.replace(SIZE, SIZE.replace("int64_t", "int32_t")).replace("_m(", "_i(")
        end = re.search(r"    end subroutine (\w+)_m\n$", text)
        # By its own name: a generic call takes no array of unknown size.
        call = wrap(" " * 8, f"call {end[1]}_m(", ["self", *passed], ")")
        return f"\n{head}\n\n" + call + end[0].replace("_m\n", "_i\n")

    def handles(self, extra):
        """(declarations, procedures) of the types."""
        methods = {handle: [] for handle in self.all.handles}
        for call in self.all.calls:
            handle = self.owner(call)
            if handle:
                methods[handle].append(self.method(call, handle))
        declarations = procedures = ""
        for handle, of_handle in methods.items():
            short = handle[len("clsolve_") :]
            more = extra.get(handle, "")
            bound = set(re.findall(r"generic :: (\w+) =>", more))
            declarations += f"\n    type, extends(clsolve_handle), public :: {handle}\n    contains\n"
            for name, of_name, _ in of_handle:
                if name in bound or len(of_name) > 1:
                    declarations += "".join(f"        procedure, private :: {procedure}\n" for procedure in of_name)
                else:
                    declarations += f"        procedure :: {name} => {of_name[0]}\n"
                if len(of_name) > 1:
                    declarations += f"        generic :: {name} => {', '.join(of_name)}\n"
            declarations += more.rstrip() + "\n" if more else ""
            declarations += f"        procedure :: destroy => {short}_destroy_m\n        final :: {short}_final\n"
            declarations += f"    end type {handle}\n"
            procedures += "".join("\n" + text for _, _, text in of_handle)
            procedures += "\n" + (DESTROY_CONTEXT if handle == "clsolve_context" else DESTROY).replace("@", short)
        return declarations, procedures


DESTROY = """    subroutine @_destroy_m(self)
        class(clsolve_@), intent(inout) :: self

        call clsolve_@_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine @_destroy_m

    impure elemental subroutine @_final(self)
        type(clsolve_@), intent(inout) :: self

        call self%destroy()
    end subroutine @_final
"""
# The context itself goes with the last that uses it.
DESTROY_CONTEXT = DESTROY.replace("        call clsolve_@_destroy(self%handle)\n", "")

# Names that are generic: the call of C, and what friendly.f90 adds to it.
GENERIC = {"clsolve_solve"}


def unique(text, calls):
    """Fortran does not distinguish ABC from abc: a constant must not be called like a type or a call."""
    seen = {}
    for name in re.findall(r"(?:parameter|bind\(C\)|extends\(\w+\)), public :: (\w+)", text) + calls:
        if name.lower() in seen:
            raise Unknown(f"{name} and {seen[name.lower()]} are one name to Fortran")
        seen[name.lower()] = name
    for name in re.findall(r"\b\w{64,}\b", text):
        raise Unknown(f"{name} has more than the 63 letters that Fortran takes")


def generate(compiler):
    interface = headers.read(ROOT, compiler)
    for name in interface.inline:
        if not any(name.startswith(begin) for begin in INLINE):
            raise Unknown(f"the inline function {name} has no counterpart: add one to views.f90, and to INLINE")
    writer = Writer(interface)
    here = Path(__file__).parent
    section = template.parts((here / "friendly.f90").read_text() + (here / "views.f90").read_text())
    extra = {name[6:]: text for name, text in section.items() if name.startswith("bound ")}
    declarations, procedures = writer.handles(extra)
    text = HEAD + writer.constants() + writer.structures() + section["handle"].rstrip() + "\n" + declarations
    text += writer.bindings() + section["interfaces"] + section["views"] + "contains\n" + procedures
    text += section["procedures"] + section["procedures of views"] + "end module clsolve\n"
    unique(text, [call.name for call in interface.calls])
    return text


def main():
    arguments = sys.argv[1:]
    compiler = "cc"
    if "--cc" in arguments[:-1]:
        compiler = arguments.pop(arguments.index("--cc") + 1)
        arguments.remove("--cc")
    folders = [argument for argument in arguments if argument.startswith("-I")]  # of OpenCL's headers
    compiler = " ".join([compiler, *map(shlex.quote, folders)])
    arguments = [argument for argument in arguments if argument not in folders]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    try:
        text = generate(compiler)
    except Unknown as problem:
        print(f"fortran: {problem}", file=sys.stderr)
        return 1
    Path(arguments[0]).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
