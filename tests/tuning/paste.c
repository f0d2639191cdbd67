/* paste.c: made by test_share.c with a shared text as the table of known devices: prints what the table has for the
 * device whose platform and name are the arguments. */
#include <stdio.h>

#include "blas/record.h"

int main(int argc, char **argv) {
    clsolve_device_info info = {.max_work_group = 1024, .local_memory = 65536, .type = CLSOLVE_DEVICE_GPU};
    if (argc != 3) return 2;
    (void)snprintf(info.platform, sizeof info.platform, "%s", argv[1]);
    (void)snprintf(info.name, sizeof info.name, "%s", argv[2]);
    for (int t = CLSOLVE_F32; t <= CLSOLVE_F64; t++) {
        cls_record r = {.compared = 0};
        printf("%d", cls_record_known(&info, (clsolve_type)t, &r));
        printf(" %d %d %d", (int)r.tile.tile_m, (int)r.tile.slice, (int)r.tile.ahead);
        printf(" %.2f %.2f %.2f\n", r.against[0][0], r.against[3][3], r.gflops);
    }
    return 0;
}
