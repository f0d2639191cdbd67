/* nvrtc.c: libnvrtc.so.13, see stand_in.h. */
#include "stand_in.h"

#include <nvrtc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct _nvrtcProgram {
    char *source, *image, *log;
    size_t bytes;
};

nvrtcResult nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult code) {
    return code == NVRTC_SUCCESS             ? "NVRTC_SUCCESS"
           : code == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION"
                                             : "NVRTC_ERROR_INVALID_INPUT";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
    *count = 3;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs) {
    archs[0] = 75;
    archs[1] = 80;
    archs[2] = 90;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers,
                               const char *const *texts, const char *const *names) {
    (void)name, (void)headers, (void)texts, (void)names;
    *program = calloc(1, sizeof **program);
    (*program)->source = strdup(source);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
    free((*program)->source);
    free((*program)->image);
    free((*program)->log);
    free(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options) {
    char words[512] = "";
    bool target = false;
    for (int i = 0; i < count; i++) {
        if (strcmp(options[i], "--gpu-architecture=sm_75") == 0) {
            target = true;
            continue;
        }
        if (strncmp(options[i], "-D", 2) != 0) return NVRTC_ERROR_INVALID_OPTION;
        size_t used = strlen(words);
        (void)snprintf(words + used, sizeof words - used, "%s ", options[i]);
    }
    if (!target) return NVRTC_ERROR_INVALID_OPTION;
    cl_program built = stand_in_build(words, program->source, &program->log);
    if (!built) return NVRTC_ERROR_COMPILATION;
    (void)clReleaseProgram(built);
    size_t room = strlen(STAND_IN_IMAGE) + strlen(words) + strlen(program->source) + 2;
    program->image = malloc(room);
    program->bytes = (size_t)snprintf(program->image, room, "%s%s\n%s", STAND_IN_IMAGE, words, program->source) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes) {
    *bytes = program->log ? strlen(program->log) + 1 : 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) {
    strcpy(log, program->log ? program->log : "");
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) {
    *bytes = program->bytes;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin) {
    memcpy(cubin, program->image, program->bytes);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes) {
    return nvrtcGetCUBINSize(program, bytes);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx) {
    return nvrtcGetCUBIN(program, ptx);
}
