# Of clang's opencl-c.h what a solver's kernels may call: not the functions of images, half, events, other makers and
# rounding conversions, nor the forms for vectors of 3, 8 and 16, or of short integers. vload and vstore have all of them.
/^ *(\/\/|\/?\*)|^ *$/ { next }
/^ *#/ || directive { print; directive = /\\$/; next }
{
    held = held == "" ? $0 : held " " $0 # a declaration may have several lines
    if (held !~ /;/) next
    if (held !~ /__ovld/ ||
        held !~ /half|image|sampler|event_t|(intel|amd|arm)_|_sat|_rt[eznp]\(|_explicit|shuffle|prefetch/ &&
        (held ~ /(vload|vstore)/ || held !~ /[a-z](3|8|16)[ ),*]|(char|short|long)[0-9]/)) print held
    held = ""
}
