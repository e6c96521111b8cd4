#include "nic.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace bench {

namespace {

constexpr int ethernet_ip_tcp = 14 + 20 + 20;
constexpr int timestamps = 12;

// Returns the value of a named field from a line of names and a line of numbers as in /proc/net/snmp; 0
// if there is no such field.
std::int64_t snmp_field(const std::string& protocol, const std::string& field) {
    std::ifstream file("/proc/self/net/snmp");
    std::string names, numbers;
    while (std::getline(file, names) && std::getline(file, numbers)) {
        std::istringstream name_words(names), number_words(numbers);
        std::string name, number;
        if (!(name_words >> name >> std::ws) || name != protocol || !(number_words >> number)) continue;
        while (name_words >> name && number_words >> number) {
            if (name == field) return std::stoll(number);
        }
    }
    return 0;
}

}  // namespace

NicCounters NicCounters::operator-(const NicCounters& before) const {
    return {sent_bytes - before.sent_bytes, sent_packets - before.sent_packets,
            received_bytes - before.received_bytes, received_packets - before.received_packets,
            resent_segments - before.resent_segments};
}

NicCounters read_nic(const std::string& name) {
    // These are the counters of /sys/class/net, but for the caller's network namespace, whichever one
    // /sys shows.
    std::ifstream file("/proc/self/net/dev");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        const std::size_t begin = line.find_first_not_of(' ');
        if (colon == std::string::npos || line.substr(begin, colon - begin) != name) continue;
        std::istringstream words(line.substr(colon + 1));
        std::vector<std::int64_t> fields;
        for (std::int64_t field = 0; words >> field;) fields.push_back(field);
        if (fields.size() < 10) break;
        return {fields[8], fields[9], fields[0], fields[1], snmp_field("Tcp:", "RetransSegs")};
    }
    throw std::invalid_argument("--nic " + name + ": this node has no such NIC");
}

int packet_header_bytes() {
    int wanted = 1;
    std::ifstream("/proc/sys/net/ipv4/tcp_timestamps") >> wanted;
    return ethernet_ip_tcp + (wanted != 0 ? timestamps : 0);
}

}  // namespace bench
