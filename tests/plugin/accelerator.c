/* Preloaded: makes Open MPI 5.0 report support for GPU buffers: renames the accelerator component that
 * it selects without a GPU. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

struct component { /* begins as mca_base_component_t does */
    int versions[3];
    char project[16];
    int project_versions[3];
    char type[32];
    int type_versions[3];
    char name[64];
};
extern struct component opal_accelerator_base_selected_component;

int opal_accelerator_base_select(void);
int opal_accelerator_base_select(void) {
    int (*const select)(void) = (int (*)(void))dlsym(RTLD_NEXT, "opal_accelerator_base_select");
    const int rc = select();
    strcpy(opal_accelerator_base_selected_component.name, "synthetic");
    return rc;
}
