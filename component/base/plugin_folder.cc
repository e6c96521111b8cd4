#include "component/base/plugin_folder.h"

#include <dlfcn.h>

namespace strata::component {
namespace {
constexpr char own_address = 0;
}

std::string plugin_folder() {
    Dl_info where{};
    if (dladdr(&own_address, &where) == 0 || where.dli_fname == nullptr) {
        return ".";
    }
    const std::string file = where.dli_fname;
    const auto slash = file.rfind('/');
    return slash == std::string::npos ? "." : file.substr(0, slash);
}

}  // namespace strata::component
