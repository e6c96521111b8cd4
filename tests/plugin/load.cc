// Opens the plugin like Open MPI's loader: libltdl, local symbols, extension added by the library.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <ltdl.h>

#include <string>

#include "component/openmpi/ompi_compat.h"

namespace {

/// The plugin's path without ".so", as lt_dlopenadvise with an extension wants it.
std::string module_path() {
    const std::string path = STRATA_PLUGIN;
    return path.substr(0, path.rfind('.'));
}

class Loader : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(lt_dlinit(), 0) << lt_dlerror(); }
    void TearDown() override { EXPECT_EQ(lt_dlexit(), 0); }

    lt_dlhandle open() {
        lt_dladvise advise;
        EXPECT_EQ(lt_dladvise_init(&advise), 0);
        EXPECT_EQ(lt_dladvise_ext(&advise), 0);
        EXPECT_EQ(lt_dladvise_local(&advise), 0);
        lt_dlhandle handle = lt_dlopenadvise(module_path().c_str(), advise);
        EXPECT_NE(handle, nullptr) << lt_dlerror();
        lt_dladvise_destroy(&advise);
        return handle;
    }
};

TEST_F(Loader, ComponentDescribesItself) {
    lt_dlhandle handle = open();
    ASSERT_NE(handle, nullptr);
    const auto* found =
        static_cast<const mca_coll_base_component_t*>(lt_dlsym(handle, "mca_coll_strata_component"));
    ASSERT_NE(found, nullptr) << lt_dlerror();
    const mca_base_component_t& version = found->collm_version;
    EXPECT_STREQ(version.mca_type_name, "coll");
    EXPECT_STREQ(version.mca_component_name, "strata");
    EXPECT_EQ(version.mca_component_major_version, STRATA_VERSION_MAJOR);
    EXPECT_EQ(version.mca_component_minor_version, STRATA_VERSION_MINOR);
    EXPECT_EQ(version.mca_component_release_version, STRATA_VERSION_PATCH);
    EXPECT_EQ(version.mca_major_version, MCA_BASE_VERSION_MAJOR);
    EXPECT_EQ(version.mca_minor_version, MCA_BASE_VERSION_MINOR);
    EXPECT_EQ(version.mca_type_major_version, 2);
    EXPECT_EQ(version.mca_type_minor_version, OMPI_MAJOR_VERSION == 4 ? 0 : 4);
    EXPECT_EQ(version.mca_type_release_version, 0);
    EXPECT_NE(version.mca_open_component, nullptr);
    EXPECT_NE(version.mca_register_component_params, nullptr);
    EXPECT_NE(found->collm_init_query, nullptr);
    EXPECT_NE(found->collm_comm_query, nullptr);
    EXPECT_EQ(lt_dlclose(handle), 0);
}

TEST_F(Loader, OpensAgainAfterClosing) {
    for (int round = 0; round < 2; ++round) {
        lt_dlhandle handle = open();
        ASSERT_NE(handle, nullptr) << "round " << round;
        EXPECT_NE(lt_dlsym(handle, "mca_coll_strata_component"), nullptr);
        EXPECT_EQ(lt_dlclose(handle), 0);
    }
}

TEST_F(Loader, ClosingUnloads) {
    // Static data of a plugin that stays in memory would survive when MPI_T ends and starts again.
    const std::string path = STRATA_PLUGIN;
    lt_dlhandle handle = open();
    ASSERT_NE(handle, nullptr);
    EXPECT_EQ(lt_dlclose(handle), 0);
    void* left = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    EXPECT_EQ(left, nullptr) << "still loaded";
}

}  // namespace
