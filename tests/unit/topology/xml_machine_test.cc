// Machines as XML files that hwloc did not write, or not in its current form.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "topology/machine.h"

namespace strata::topology::xml_machine_test {
namespace {

/// Returns the message without its common prefix; the number of processors if there is none.
std::string error_of_xml(const std::string& text) {
    const std::string path = ::testing::TempDir() + "strata_xml";
    std::ofstream(path) << text;
    std::string error;
    try {
        error = std::to_string(Machine::load(path).processors()) + " processors";
    } catch (const std::invalid_argument& refused) {
        error = refused.what();
    }
    std::filesystem::remove(path);
    const std::size_t at = error.find(path);
    if (at != std::string::npos) error.erase(0, at + path.size());
    const std::string_view begin = "' as an XML topology: ";
    return error.starts_with(begin) ? error.substr(begin.size()) : error;
}

const std::string whole_sets = R"( cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1")";
const std::string thread_0 =
    R"(<object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"/>)";

/// A machine of two hardware threads, `from` replaced by `to` in its description.
std::string error_of_changed(const std::string& from, const std::string& to) {
    std::string text =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
        "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\"" +
        whole_sets + ">\n<object type=\"NUMANode\" os_index=\"0\"" + whole_sets + "/>\n" + thread_0 + "\n";
    std::string other = thread_0;
    for (const std::string set : {"os_index=\"0", "cpuset=\"0x1", "complete_cpuset=\"0x1"}) {
        const std::size_t end = other.find(' ' + set) + 1 + set.size();
        other[end - 1] = set.starts_with('o') ? '1' : '2';
    }
    text += other + "\n</object>\n</topology>\n";
    if (!from.empty()) {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
    }
    return error_of_xml(text);
}

/// Files for which hwloc 2.9 ends the process, or does not return.
TEST(Machine, XmlThatHwlocCannotBearIsRefused) {
    EXPECT_EQ(error_of_changed("", ""), "2 processors");
    EXPECT_EQ(error_of_changed(R"( complete_cpuset="0x3")", ""),
              "line 4: object Machine has no complete_cpuset");
    EXPECT_EQ(error_of_changed(R"( cpuset="0x3")", ""), "line 4: object Machine has no cpuset");
    EXPECT_EQ(error_of_changed(R"(0x1" nodeset="0x1" complete_nodeset="0x1")", R"(0x1" nodeset="0x1")"),
              "line 6: object PU has no complete_nodeset");
    EXPECT_EQ(error_of_changed(R"(complete_cpuset="0x3")", R"(complete_cpuset="0x4")"),
              "line 4: object Machine has a cpuset that its complete_cpuset does not contain");
    EXPECT_EQ(error_of_changed(R"("PU" os_index="0")", R"("PU")"), "line 6: object PU has no os_index");
    EXPECT_EQ(error_of_changed(R"("PU" os_index="0")", R"("PU" os_index="4294967295")"),
              "line 6: object PU has os_index '4294967295', which must be below 1048576");
    EXPECT_EQ(error_of_changed(R"("PU" os_index="0")", R"("PU" os_index = '-1')"),
              "line 6: object PU has os_index '-1', which must be below 1048576");
    for (const char* const set :
         {"", ",0x1", "0x", "1", "0x1 ", "0x1,x2", "0xg", "0x123456789", "0x1,0xf...f"}) {
        EXPECT_EQ(error_of_changed(R"(cpuset="0x3")", "cpuset=\"" + std::string(set) + "\""),
                  "line 4: cpuset '" + std::string(set) + "' is no set of numbers");
    }
    const std::string endless = R"( cpuset="0xf...f" complete_cpuset="0xf...f" allowed_cpuset="0xf...f" )"
                                R"(nodeset="0x1" complete_nodeset="0x1")";
    EXPECT_EQ(error_of_changed(whole_sets, endless), "' has an undefined number of processors");
}

TEST(Machine, XmlWhoseObjectsDoNotLieWithinEachOtherIsRefused) {
    EXPECT_EQ(error_of_changed(R"(<object type="Machine")", R"(<object type="Package")"),
              "line 4: object Package instead of the Machine");
    EXPECT_EQ(error_of_changed(R"(Machine")", R"(Ma chine")"), "line 4: type 'Ma chine' is no object type");
    EXPECT_EQ(error_of_changed("</topology>", "<object type=\"Misc\"/></topology>"),
              "line 9: a second object after the Machine");
    EXPECT_EQ(error_of_changed(thread_0, "<a>" + thread_0 + "</a>"),
              "line 6: object PU lies within no object");
    EXPECT_EQ(error_of_changed("<topology version=\"2.0\">", "<objects>"),
              "line 3: tag 'objects' instead of 'topology'");
    EXPECT_EQ(error_of_changed(R"(os_index="0" cpuset="0x1")", R"(os_index="1" cpuset="0x1")"),
              "line 6: object PU 1 has a complete_cpuset of another number");
    EXPECT_EQ(error_of_changed(R"("NUMANode" os_index="0")", R"("numa" os_index="1")"),
              "line 5: object numa 1 has a complete_nodeset of another number");
    EXPECT_EQ(error_of_changed(thread_0, thread_0 + thread_0), "line 6: object PU 0 appears twice");
    const std::string core =
        R"(<object type="Core" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"/>)";
    EXPECT_EQ(error_of_changed(thread_0, thread_0 + core),
              "line 6: object Core shares processors with another one in the object Machine");
    EXPECT_EQ(error_of_changed(thread_0, thread_0 + "<info name=\"a\" value=\"b\"/>"),
              "line 6: tag 'info' after an object");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "version=\"2\""), "line 3: version '2' is no version");
    EXPECT_EQ(error_of_changed(thread_0, "<object type=\"Bridge\">" + thread_0 + "</object>"),
              "line 6: object PU lies within the object Bridge");
    EXPECT_EQ(error_of_changed("<object type=\"PU\"", "<object type=\"Misc\""),
              "line 6: object Misc has a cpuset");
    EXPECT_EQ(error_of_changed(whole_sets,
                               R"( cpuset="0x1" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1")"),
              "line 5: object NUMANode has a cpuset that the object Machine around it does not contain");
    EXPECT_EQ(error_of_changed(whole_sets, R"( cpuset="0x3" complete_cpuset="0x3")"),
              "line 5: object NUMANode has a nodeset that the object Machine around it does not contain");
    EXPECT_EQ(error_of_changed(R"(0x1" nodeset="0x1" complete_nodeset="0x1")", "0x1\""),
              "line 6: object PU has no nodeset");
}

/// What hwloc 2 still accepts from hwloc 1: objects within NUMA nodes, also at the top, and Misc with
/// processors.
TEST(Machine, XmlOfHwloc1IsRead) {
    const std::string sets = R"( cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1")";
    const auto object = [&](const std::string& type, const std::string& inside) {
        return "<object type=\"" + type + "\" os_index=\"0\"" + sets + ">" + inside + "</object>";
    };
    const auto old = [](const std::string& objects) {
        return error_of_xml("<topology>" + objects + "</topology>");
    };
    EXPECT_EQ(old(object("System", object("NUMANode", thread_0))), "1 processors");
    EXPECT_EQ(old(object("NUMANode", thread_0)), "1 processors");
    EXPECT_EQ(old(object("Machine", object("NUMANode", object("Misc", thread_0)))), "1 processors");
    EXPECT_EQ(old(object("Machine", object("NUMANode", thread_0) + object("NUMANode", thread_0))),
              "line 1: object NUMANode 0 appears twice");
}

/// The reader gives hwloc only rewritten objects: hwloc ends the process for tables that are larger than
/// announced, and its own parser drops unknown attributes and those after them.
TEST(Machine, XmlIsReadAsXmlAllows) {
    const std::string two = "2 processors";
    const std::string second = "complete_cpuset=\"0x1\"";
    EXPECT_EQ(error_of_changed(second, "complete_cpuset = '0x1'"), two);
    EXPECT_EQ(error_of_changed(second, "A=\"1\" " + second), two);
    EXPECT_EQ(error_of_changed(second, "name=\"a>b\" " + second), two);
    EXPECT_EQ(error_of_changed(second, "name=\"&apos;&#60;&#x26;&quot;\" " + second), two);
    EXPECT_EQ(error_of_changed(R"(type="PU" os_index="0")", R"(os_index="0" type="&#x50;&#85;")"), two);
    EXPECT_EQ(error_of_changed("<topology",
                               "<?a <topology><object type=\"PU\"/> ?>\n<!-- <object> \" -->\n<topology"),
              two);
    EXPECT_EQ(error_of_changed("</topology>",
                               "<memattr name=\"Capacity\" flags=\"1\"><memattr_value value=\"1\" "
                               "target_obj_type=\"NUMANode\"/></memattr></topology>"),
              two);
    EXPECT_EQ(error_of_changed("</topology>",
                               "<distances2 type=\"PU\" nbobjs=\"65536\" kind=\"5\"><indexes length=\"2\">"
                               "9 </indexes></distances2></topology>"),
              two);
}

/// The line where a tag, comment or declaration of several lines begins.
TEST(Machine, XmlErrorsNameTheFirstLineOfATag) {
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "\n\nversion=\"2.0\"\nversion=\"1.0\"\n"),
              "line 3: attribute 'version' of tag 'topology' appears twice");
    EXPECT_EQ(error_of_changed(R"("PU" os_index="0")", "\n\"PU\"\n"), "line 6: object PU has no os_index");
    EXPECT_EQ(error_of_changed("</topology>\n", "</topologie\n\n>"),
              "line 9: tag 'topologie' is closed but not open");
    EXPECT_EQ(error_of_changed(" SYSTEM", "\n[\n] SYSTEM"),
              "line 2: the type of the document has declarations");
    EXPECT_EQ(error_of_changed("<topology", "<!--\n\n--><topology a\n"),
              "line 5: attribute 'a' of tag 'topology' has no value");
}

/// A place in a record counts the objects of a kind up to 65,535.
TEST(Machine, XmlOfMoreObjectsThanARecordCountsIsRefused) {
    std::string groups;
    for (int i = 0; i < 65532; ++i) groups += "<object type=\"Misc\"/>";
    EXPECT_EQ(error_of_changed(thread_0, thread_0 + groups), "2 processors");
    EXPECT_EQ(error_of_changed(thread_0, thread_0 + "\n" + groups + "\n<object type=\"Misc\"/>"),
              "line 9: more than 65536 objects");
}

TEST(Machine, XmlThatIsNotWellFormedIsRefused) {
    EXPECT_EQ(error_of_changed("</object>\n", ""), "line 8: tag 'topology' is closed but not open");
    EXPECT_EQ(error_of_changed("</topology>\n", ""), "line 8: tag 'topology' is not closed");
    EXPECT_EQ(error_of_changed("</topology>", "</topology><topology/>"),
              "line 9: a second element after the first");
    EXPECT_EQ(error_of_changed("</topology>", "<"), "line 9: a tag does not end");
    EXPECT_EQ(error_of_changed("</topology>", "<!-- </topology>"), "line 9: a comment does not end");
    EXPECT_EQ(error_of_changed("</topology>", "<![CDATA[]]></topology>"), "line 9: a tag has no name");
    EXPECT_EQ(error_of_changed("<?xml version=\"1.0\"?>", "<?xml"), "line 1: a declaration does not end");
    EXPECT_EQ(error_of_changed("SYSTEM \"hwloc2.dtd\"", "[ <!ENTITY a \"b\"> ]"),
              "line 2: the type of the document has declarations");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "version=2.0"),
              "line 3: attribute 'version' of tag 'topology' has no value in quotes");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "version=\"2.0\" version=\"1.0\""),
              "line 3: attribute 'version' of tag 'topology' appears twice");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "version=\"2.0\"a=\"b\""),
              "line 3: no attribute where one is expected of tag 'topology'");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "version"),
              "line 3: attribute 'version' of tag 'topology' has no value");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "version=\"<\""),
              "line 3: attribute 'version' of tag 'topology' has a '<'");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "a=\"&b;\""), "line 3: unknown reference '&b;'");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "a=\"&#x100;\""), "line 3: unknown reference '&#x100;'");
    EXPECT_EQ(error_of_changed("version=\"2.0\"", "a=\"&lt\""), "line 3: a reference in '&lt' does not end");
    std::string many;
    for (int i = 0; i < 256; ++i) many += "a" + std::to_string(i) + "='' ";
    EXPECT_EQ(error_of_changed("<topology ", "<topology " + many.substr(many.find(' ') + 1)), "2 processors");
    EXPECT_EQ(error_of_changed("<topology ", "<topology " + many),
              "line 3: more than 256 attributes of tag 'topology'");
    std::string deep;
    for (int level = 1; level < 128; ++level) deep += "<a>";
    EXPECT_EQ(error_of_xml("<topology>" + deep + "<a>"), "line 1: more than 128 tags within each other");
    EXPECT_EQ(error_of_xml("text"), "line 1: no tag");
}

}  // namespace
}  // namespace strata::topology::xml_machine_test
