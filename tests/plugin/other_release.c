/* Preloaded: emulates another release of Open MPI. STRATA_TEST_RELEASE: the reported version.
 * STRATA_TEST_CLASS: a class, as in ompi_op_t_class, whose objects grow by 64 bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct opal_class {
    const char* name;
    struct opal_class* parent;
    void (*construct)(void*);
    void (*destruct)(void*);
    int initialized;
    int depth;
    void* constructors;
    void* destructors;
    size_t size;
};

__attribute__((constructor)) static void enlarge(void) {
    const char* name = getenv("STRATA_TEST_CLASS");
    struct opal_class* found = name != NULL ? dlsym(RTLD_DEFAULT, name) : NULL;
    if (found != NULL) {
        found->size += 64;
    }
}

int PMPI_Get_library_version(char* version, int* length) {
    const char* said = getenv("STRATA_TEST_RELEASE");
    strcpy(version, said != NULL ? said : "Open MPI v4.9.2, package: none");
    *length = (int)strlen(version);
    return 0;
}
