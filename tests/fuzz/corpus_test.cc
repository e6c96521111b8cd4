// Every target over its inputs, without libFuzzer.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "targets.h"
#include "topology/text_file.h"

namespace strata::fuzz {

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

const std::filesystem::path corpus = STRATA_FUZZ_CORPUS;

std::vector<std::filesystem::path> inputs_of(std::string_view target) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(corpus / target))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

void expect_promises_kept(const Target& target, std::string_view input, const std::string& name) {
    const std::string complained = complaint(target, input);
    EXPECT_TRUE(complained.empty()) << name << ": " << complained;
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, KeepsPromises) {
    expect_promises_kept(GetParam(), "", "nothing");
    const auto files = inputs_of(GetParam().name);
    EXPECT_GE(files.size(), 3U);
    for (const auto& file : files) {
        expect_promises_kept(GetParam(), topology::read_text_file(file), file.filename());
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, testing::ValuesIn(all_targets().begin(), all_targets().end()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(CorpusFolder, IsSmallAndHasNothingElse) {
    constexpr std::uintmax_t most_bytes = 300 * 1024;
    std::uintmax_t bytes = 0;
    std::set<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
        folders.insert(entry.path().filename());
        EXPECT_NE(find_target(entry.path().filename().string()), nullptr) << entry.path();
        for (const auto& file : inputs_of(entry.path().filename().string())) {
            bytes += std::filesystem::file_size(file);
        }
    }
    EXPECT_EQ(folders.size(), all_targets().size());
    EXPECT_LE(bytes, most_bytes);
}

/// Targets that violate a parser's contract.
struct Wrong {
    Target target;
    const char* expected;
};

TEST(CanFail, UndocumentedExceptionsAndBrokenPromisesAreReported) {
    using View = std::string_view;
    static const Wrong wrong[] = {
        {{"range", Throws::invalid_argument, [](View) { throw std::out_of_range("behind the end"); }},
         "behind the end"},
        {{"file", Throws::file_error, [](View) { throw std::invalid_argument("no word"); }}, "no word"},
        {{"word", Throws::invalid_argument, [](View) { throw topology::FileError("f", 1, "no file"); }},
         "no file"},
        {{"quiet", Throws::nothing, [](View) { throw std::invalid_argument("loud"); }}, "loud"},
        {{"odd", Throws::file_error, [](View) { throw 7; }}, "other than a std::exception"},
        {{"promise", Throws::invalid_argument, [](View) { require(false, "one is two"); }}, "one is two"},
        {{"use", Throws::invalid_argument,
          [](View) { must_not_throw([] { throw std::invalid_argument("unusable"); }); }},
         "unusable"}};
    for (const Wrong& one : wrong) {
        EXPECT_NE(complaint(one.target, "x").find(one.expected), std::string::npos) << one.target.name;
    }
    EXPECT_NONFATAL_FAILURE(expect_promises_kept(wrong[0].target, "x", "input"),
                            "input: range: behind the end");
}

TEST(CanFail, DocumentedExceptionsAreNot) {
    using View = std::string_view;
    EXPECT_EQ(
        complaint({"word", Throws::invalid_argument, [](View) { throw std::invalid_argument("no"); }}, ""),
        "");
    EXPECT_EQ(
        complaint({"file", Throws::file_error, [](View) { throw topology::FileError("f", 1, "no"); }}, ""),
        "");
    EXPECT_EQ(complaint({"fine", Throws::nothing, [](View) {}}, ""), "");
}

}  // namespace
}  // namespace strata::fuzz
