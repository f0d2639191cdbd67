/* interrupt.c: what an interrupt leaves behind. */
#include "tool/interrupt.h"

#include "base/system/program.h"
#include "io/whole_file.h"

void interrupt_clean_up(void) {
    cls_program_on_interrupt(mm_discard_temporary);
}
