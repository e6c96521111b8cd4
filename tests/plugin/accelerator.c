/* Preloaded, it lets Open MPI 5.0 say that it supports the buffers of GPUs: what has none is selected under
 * another name. */
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
