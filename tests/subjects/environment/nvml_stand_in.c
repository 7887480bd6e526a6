/* A stand-in for the driver's libnvidia-ml.so.1, so that the real binding can be tested without a GPU.
 *
 * Plays the scenario of the file that NVML_SCENARIO names, a line each:
 *     init CODE                    what nvmlInit answers (nvml.h: 0 success, 9 driver not loaded, 18 version mismatch)
 *     gpu NAME TOTAL USED          a GPU and its memory in bytes
 *     process GPU PID MEMORY       a process that computes on it; MEMORY -1: not available
 *     lost GPU                     this GPU has fallen off the bus
 *     silent GPU                   its processes are not told
 *     old                          a driver that has only the second version of the process calls
 *     hang                         nvmlInit does not come back
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, FUNCTION_NOT_FOUND = 13, INSUFFICIENT_SIZE = 7, GPU_IS_LOST = 15, MOST = 16 };

struct process { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; };
struct memory { unsigned long long total, free, used; };

static struct { char name[64]; struct memory memory; struct process processes[MOST]; unsigned count; int lost, silent; }
    gpus[MOST];
static unsigned gpu_count;
static int init_answer, old;

static int load(void) {
    char line[256];
    FILE *file = fopen(getenv("NVML_SCENARIO"), "r");
    gpu_count = 0;
    while (file && fgets(line, sizeof line, file)) {
        char name[64];
        unsigned gpu, pid;
        unsigned long long total, used;
        long long memory;
        if (sscanf(line, "init %d", &init_answer) == 1) continue;
        if (sscanf(line, "gpu %63s %llu %llu", name, &total, &used) == 3) {
            strcpy(gpus[gpu_count].name, name);
            gpus[gpu_count].memory = (struct memory){total, total - used, used};
            gpu_count++;
        } else if (sscanf(line, "process %u %u %lld", &gpu, &pid, &memory) == 3) {
            gpus[gpu].processes[gpus[gpu].count++] = (struct process){pid, (unsigned long long)memory, 0, 0};
        } else if (sscanf(line, "lost %u", &gpu) == 1) gpus[gpu].lost = 1;
        else if (sscanf(line, "silent %u", &gpu) == 1) gpus[gpu].silent = 1;
        else if (strncmp(line, "old", 3) == 0) old = 1;
        else if (strncmp(line, "hang", 4) == 0) for (;;) pause();
    }
    return init_answer;
}

int nvmlInitWithFlags(unsigned flags) { (void)flags; return load(); }
int nvmlInit_v2(void) { return load(); }
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { return code == GPU_IS_LOST ? "GPU is lost" : "an error of the driver"; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) { snprintf(text, size, "535.104.05"); return SUCCESS; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = gpu_count; return SUCCESS; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) {
    if (gpus[index].lost) return GPU_IS_LOST;
    *handle = (void *)(unsigned long)(index + 1);
    return SUCCESS;
}
#define GPU(handle) gpus[(unsigned long)(handle) - 1]
int nvmlDeviceGetName(void *handle, char *text, unsigned size) { snprintf(text, size, "%s", GPU(handle).name); return SUCCESS; }
int nvmlDeviceGetUUID(void *handle, char *text, unsigned size) {
    snprintf(text, size, "GPU-0000-%lu", (unsigned long)handle - 1);
    return SUCCESS;
}
int nvmlDeviceGetMemoryInfo(void *handle, struct memory *memory) { *memory = GPU(handle).memory; return SUCCESS; }

static int running(void *handle, unsigned *size, struct process *into) {
    unsigned count = GPU(handle).count;
    if (GPU(handle).silent) return NOT_SUPPORTED;
    if (*size < count) { *size = count; return INSUFFICIENT_SIZE; }
    *size = count;
    for (unsigned index = 0; into && index < count; index++) into[index] = GPU(handle).processes[index];
    return SUCCESS;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *size, struct process *into) {
    return old ? FUNCTION_NOT_FOUND : running(handle, size, into);
}
int nvmlDeviceGetComputeRunningProcesses_v2(void *handle, unsigned *size, struct process *into) {
    return running(handle, size, into);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *handle, unsigned *size, struct process *into) {
    (void)into;
    if (GPU(handle).silent) return NOT_SUPPORTED;
    *size = 0;
    return old ? FUNCTION_NOT_FOUND : SUCCESS;
}
int nvmlDeviceGetGraphicsRunningProcesses_v2(void *handle, unsigned *size, struct process *into) {
    (void)into;
    if (GPU(handle).silent) return NOT_SUPPORTED;
    *size = 0;
    return SUCCESS;
}
