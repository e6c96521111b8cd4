#include "component/base/interfaces.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

using namespace strata::component;
using Names = std::vector<std::string>;

std::vector<unsigned char> site_local(unsigned char last) {
    std::vector<unsigned char> bytes(16, 0);
    bytes[0] = 0xfd;
    bytes[15] = last;
    return bytes;
}

const std::vector<InterfaceAddress> addresses = {{"lo", true, {127, 0, 0, 1}},
                                                 {"eth0", false, {10, 1, 0, 5}},
                                                 {"eth0", false, site_local(7)},
                                                 {"ib0", false, {10, 2, 255, 1}},
                                                 {"mgmt", false, {192, 168, 7, 3}}};

TEST(Interfaces, WithAnAddress) {
    EXPECT_EQ(addressed_interfaces(addresses), (Names{"eth0", "ib0", "mgmt"}));
    EXPECT_EQ(addressed_interfaces({}), Names{});
}

TEST(Interfaces, OfAList) {
    const std::pair<const char*, Names> cases[] = {{"", {}},
                                                   {"ib0, eth0,ib0", {"ib0", "eth0"}},
                                                   {"absent", {"absent"}},
                                                   {"10.1.0.0/16", {"eth0"}},
                                                   {"10.0.0.0/8,mgmt", {"eth0", "ib0", "mgmt"}},
                                                   {"10.2.254.0/23", {"ib0"}},
                                                   {"10.2.254.0/24", {}},
                                                   {"10.1.0.5/32", {"eth0"}},
                                                   {"127.0.0.1/8,sppp", {"lo", "sppp"}},
                                                   {"0.0.0.0/0", {"lo", "eth0", "ib0", "mgmt"}},
                                                   {"fd00::/64", {"eth0"}},
                                                   {"fd00::8/128", {}},
                                                   {"10.1.0.0/x,10.1/16,/8", {}}};
    for (const auto& [list, names] : cases) {
        EXPECT_EQ(listed_interfaces(list, addresses), names) << list;
    }
}

TEST(Interfaces, BelowBondsAndVirtualNetworks) {
    const auto folder = std::filesystem::temp_directory_path() / ("interfaces." + std::to_string(getpid()));
    for (const char* entry :
         {"bond0.7/lower_bond0", "bond0/lower_eth1", "bond0/lower_eth0", "eth0/device", "loop/lower_loop"}) {
        std::filesystem::create_directories(folder / entry);
    }
    EXPECT_EQ(with_lower_interfaces({"bond0.7", "ib0"}, folder),
              (Names{"bond0.7", "ib0", "bond0", "eth0", "eth1"}));
    EXPECT_EQ(with_lower_interfaces({"loop"}, folder), Names{"loop"});
    EXPECT_EQ(with_lower_interfaces({"eth0"}, folder / "nowhere"), Names{"eth0"});
    std::filesystem::remove_all(folder);
}

TEST(Interfaces, OnlyIp) {
    for (const char* list : {"tcp", "tcp;ofi_rxm", "ofi_rxm;tcp,sockets", "self, tcp ,sm", "udp;ofi_rxd"}) {
        EXPECT_TRUE(names_only_ip(list)) << list;
    }
    for (const char* list :
         {"", "^tcp", "^ib", "all", "tcp,verbs", "verbs;ofi_rxm", "self,sm", "rc,tcp,self", "tcp,,"}) {
        EXPECT_FALSE(names_only_ip(list)) << list;
    }
}

}  // namespace
