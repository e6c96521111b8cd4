#include <algorithm>
#include <cstddef>

#include "component/base/interfaces.h"
#include "component/base/published_data.h"
#include "component/settings/info_keys.h"
#include "component/settings/settings.h"
#include "parsers.h"
#include "targets.h"

namespace strata::fuzz {
namespace {

const std::vector<std::string> coll_components{"basic", "sm", "tuned"};

/// A cluster's: Ethernet, a bond, InfiniBand.
const std::vector<component::InterfaceAddress> addresses{
    {"lo", true, {127, 0, 0, 1}},
    {"eth0", false, {10, 0, 0, 1}},
    {"eth0", false, {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
    {"bond0", false, {192, 168, 255, 255}}};

bool names_file(std::string_view network) { return network.starts_with("file:"); }

}  // namespace

void published_data(std::string_view input) {
    std::span<const std::byte> rest = std::as_bytes(std::span(input));
    std::vector<std::byte> same;
    component::Published one;
    while (component::take_published(rest, one)) component::append_published(same, one.process, one.bytes);
    require(same.size() + rest.size() == input.size() &&
                std::ranges::equal(same, std::as_bytes(std::span(input)).first(same.size())),
            "a message is read as it was written");
}

/// All parameters but those that name files.
void settings(std::string_view input) {
    component::SettingsText text;
    auto& bcast = text.collectives[0];
    auto& last = text.collectives.back();
    std::string* const members[] = {&text.priority,    &text.verbose,          &text.window,
                                    &text.hierarchy,   &text.network,          &text.placement,
                                    &text.nic,         &text.reproducible,     &text.disable,
                                    &text.dump,        &bcast.algorithm,       &bcast.level_algorithms,
                                    &bcast.segsize,    &last.level_algorithms, &last.segsize,
                                    &text.setup_after, &text.check_plans};
    const auto values = fields(input, 0);
    for (std::size_t i = 0; i < std::min(values.size(), std::size(members)); ++i) {
        if (!values[i].empty()) *members[i] = values[i];
    }
    if (names_file(text.network)) text.network = "none";
    if (!text.placement.empty()) text.topology = "synthetic:package:2 core:4";
    std::vector<std::string> errors;
    const component::Settings read = component::parse_settings(text, coll_components, errors);
    require(read.priority >= -1 && read.priority <= 100, "a priority is from -1 to 100");
    require(read.window >= 0 && read.window <= 1024, "a window has at most 1024 messages");
    std::vector<std::string> again;
    const component::Settings same = component::parse_settings(text, coll_components, again);
    require(errors == again, "equal texts have equal errors");
    require(
        component::agreement_hash(text, read, errors, {}) == component::agreement_hash(text, same, again, {}),
        "equal texts have equal hashes");
}

/// KEY, VALUE, KEY, VALUE, ...
void info_keys(std::string_view input) {
    static const component::Settings base = [] {
        std::vector<std::string> none;
        return component::parse_settings({}, coll_components, none);
    }();
    const auto values = fields(input, 2);
    std::vector<component::InfoKey> keys;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
        if (component::parameter_of(values[i]) != "rules") keys.push_back({values[i], values[i + 1]});
    }
    std::vector<std::string> errors, again;
    const auto own = component::own_settings(keys, base, {}, coll_components, errors);
    const auto same = component::own_settings(keys, base, {}, coll_components, again);
    require(own.hash == same.hash && own.keys_text == same.keys_text && errors == again,
            "equal keys have the same effect");
    if (keys.empty()) require(own.hash == 0 && errors.empty(), "an empty set of keys has no effect");
}

void interfaces(std::string_view input) {
    component::names_only_ip(input);
    const auto names = component::listed_interfaces(std::string(input), addresses);
    for (const std::string& name : names) {
        require(!name.empty(), "an interface has a name");
        require(std::count(names.begin(), names.end(), name) == 1, "an interface is listed once");
    }
}

}  // namespace strata::fuzz
