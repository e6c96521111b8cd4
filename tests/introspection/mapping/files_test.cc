#include "strata/mapping/traffic_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "line_reader.h"
#include "topology/text_file.h"

namespace strata::testing {
namespace {

using mapping::Flow;
using mapping::read_traffic;
using mapping::TrafficFormat;
using mapping::TrafficMatrix;

/// A separate folder for every test.
class TrafficFiles : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = std::filesystem::temp_directory_path() / "strata-mapping-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return folder_ / name;
    }
    std::string path(const std::string& name) const { return folder_ / name; }
    /// Returns the error message for a file of this text, without the folder; "nothing" if there is none.
    std::string complaint(const std::string& text, std::optional<TrafficFormat> format = {}) {
        return complaint_about("m", write("m", text), format);
    }
    std::string complaint_about(const std::string& name, const std::string& file,
                                std::optional<TrafficFormat> format = {}) {
        try {
            read_traffic(file, format);
        } catch (const topology::FileError& error) {
            std::string text = error.what();
            for (std::size_t at; (at = text.find(folder_.string() + "/")) != std::string::npos;) {
                text.erase(at, folder_.string().size() + 1);
            }
            EXPECT_EQ(text.substr(0, name.size()), name);
            return text;
        }
        return "nothing";
    }

    std::filesystem::path folder_;
};

const TrafficMatrix three(3, {{0, 1, 5, 2}, {0, 2, 18446744073709551600U, 0}, {2, 0, 7, 1}});

TEST_F(TrafficFiles, ReadsDenseMatrices) {
    const TrafficMatrix expected(3, {{0, 1, 5, 0}, {2, 0, 7, 0}});
    EXPECT_EQ(read_traffic(write("a", "0 5 0\n0 0 0\n7 0 0\n")), expected);
    EXPECT_EQ(read_traffic(write("b", "# sizes\n\n 0,5,0 \r\n0\t0\t0\r\n# and more\n7, 0, 0")), expected);
    EXPECT_EQ(read_traffic(write("c", "7")), TrafficMatrix(1, {{0, 0, 7, 0}}));
}

TEST_F(TrafficFiles, ReadsBothMatricesOfASession) {
    write("app_sizes.3.prof", "0 5\n6 0\n");
    write("app_counts.3.prof", "0 1\n2 0\n");
    const TrafficMatrix expected(2, {{0, 1, 5, 1}, {1, 0, 6, 2}});
    EXPECT_EQ(read_traffic(path("app_sizes.3.prof")), expected);
    EXPECT_EQ(read_traffic(path("app")), expected);
    write("alone_sizes.0.prof", "0 5\n6 0\n");
    EXPECT_EQ(read_traffic(path("alone")), TrafficMatrix(2, {{0, 1, 5, 0}, {1, 0, 6, 0}}));
}

TEST_F(TrafficFiles, ReadsSparseMatrices) {
    EXPECT_EQ(read_traffic(write("a",
                                 "# a comment\nranks 3\n0 1 2 1\n2 0 7 1\n# more\n0 1 3 1\n"
                                 "0 2 18446744073709551600\n")),
              three);
    EXPECT_EQ(read_traffic(write("b", "ranks 4000000\n")).ranks(), 4000000);
}

TEST_F(TrafficFiles, ReadsMatrixMarket) {
    EXPECT_EQ(read_traffic(write(
                  "a", "%%MatrixMarket matrix coordinate integer general\n% comment\n3 3 2\n1 2 5\n3 1 7\n")),
              TrafficMatrix(3, {{0, 1, 5, 0}, {2, 0, 7, 0}}));
    EXPECT_EQ(read_traffic(
                  write("b", "%%matrixmarket MATRIX coordinate real symmetric\n3 3 2\n2 1 5.0e0\n3 3 7\n")),
              TrafficMatrix(3, {{0, 1, 5, 0}, {1, 0, 5, 0}, {2, 2, 7, 0}}));
    EXPECT_EQ(read_traffic(write("c", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n")),
              TrafficMatrix(2, {{1, 0, 1, 0}}));
}

TEST_F(TrafficFiles, ReadsWhatOpenMpiMonitors) {
    // Open MPI 4.1.4, pml_monitoring_enable 2; with 1 all is E. 5.0.7 writes the same.
    write("prof.0.prof",
          "# POINT TO POINT\nE\t0\t1\t1024 bytes\t1 msgs sent\t4,0,0,18\nI\t0\t1\t5404 bytes\t32 msgs sent\n"
          "# OSC\nS\t0\t1\t64 bytes\t1 msgs sent\n# COLLECTIVES\nC\t0\t1\t5404 bytes\t32 msgs sent\n"
          "D\tMPI_COMM_WORLD\tprocs: 0,1\nO2A\t0\t3000 bytes\t1 msgs sent\nA2O\t0\t0 bytes\t0 msgs sent\n"
          "A2A\t0\t396 bytes\t8 msgs sent\n");
    write("prof.1.prof", "# POINT TO POINT\nE\t1\t0\t0 bytes\t4 msgs sent\t4,0\n");
    write("prof.1.prof.old", "");
    write("prof.01.prof", "");
    const TrafficMatrix expected(2, {{0, 1, 6492, 34}, {1, 0, 0, 4}});
    EXPECT_EQ(read_traffic(path("prof")), expected);
    EXPECT_EQ(read_traffic(path("prof.0.prof")), expected);
    EXPECT_EQ(read_traffic(path("prof"), TrafficFormat::monitoring), expected);
}

TEST_F(TrafficFiles, TurnsWhatOpenMpiCountsWhereItArrives) {
    // Open MPI 4.1.4: rank 0 gets twice from rank 1, rank 2 fetches and changes 8 bytes of rank 0.
    write("prof.0.prof",
          "# POINT TO POINT\n# OSC\nS\t0\t1\t0 bytes\t2 msgs sent\nR\t0\t1\t300 bytes\t2 msgs sent\n"
          "# COLLECTIVES\n");
    write("prof.1.prof", "# POINT TO POINT\n# OSC\n# COLLECTIVES\n");
    write("prof.2.prof",
          "# POINT TO POINT\n# OSC\nS\t2\t0\t8 bytes\t1 msgs sent\nR\t2\t0\t8 bytes\t1 msgs sent\n");
    EXPECT_EQ(read_traffic(path("prof")),
              TrafficMatrix(3, {{0, 1, 0, 2}, {0, 2, 8, 1}, {1, 0, 300, 2}, {2, 0, 8, 1}}));
    write("prof.0.prof", "R\t0\t1\t300 bytes\t2 msgs sent\n");
    EXPECT_EQ(read_traffic(path("prof.0.prof")),
              TrafficMatrix(3, {{0, 2, 8, 1}, {1, 0, 300, 2}, {2, 0, 8, 1}}));
}

TEST_F(TrafficFiles, KnowsOpenMpisFilesByAnyOfTheirLines) {
    write("prof.0.prof", "# POINT TO POINT\nE\t0\t1\t5 bytes\t1 msgs sent\n");
    const TrafficMatrix expected(2, {{0, 1, 5, 1}});
    for (const char* first : {"C\t1\t0\t5404 bytes\t32 msgs sent", "D\tMPI_COMM_WORLD\tprocs: 0,1",
                              "O2A\t0\t3000 bytes\t1 msgs sent", "A2O\t0\t0 bytes\t0 msgs sent",
                              "A2A\t0\t396 bytes\t8 msgs sent"}) {
        EXPECT_EQ(read_traffic(write("prof.1.prof", "# COLLECTIVES\n" + std::string(first) + "\n")),
                  expected);
    }
    EXPECT_EQ(read_traffic(write("prof.1.prof", "# POINT TO POINT\n# OSC\n# COLLECTIVES\n")), expected)
        << "this rank sent nothing";
    EXPECT_EQ(read_traffic(path("prof")), expected);
    write("prof.0.prof", "");
    EXPECT_EQ(read_traffic(path("prof")), TrafficMatrix(2));
}

TEST_F(TrafficFiles, ReadsWhatEveryRankFlushed) {
    const std::string rest = ", rank 4 of MPI_COMM_WORLD, P2P+COLL\n# peer messages bytes\n";
    write("app.0.prof", "# sent by rank 0 of 3" + rest + "0 0 0\n1 2 5\n2 0 0\n");
    write("app.1.prof", "# sent by rank 1 of 3" + rest + "0 0 0\n1 0 0\n2 0 0\n");
    write("app.2.prof", "# sent by rank 2 of 3" + rest + "0 1 7\n1 0 0\n2 3 0\n");
    const TrafficMatrix expected(3, {{0, 1, 5, 2}, {2, 0, 7, 1}, {2, 2, 0, 3}});
    EXPECT_EQ(read_traffic(path("app")), expected);
    EXPECT_EQ(read_traffic(path("app"), TrafficFormat::rows), expected);
    EXPECT_EQ(
        complaint_about("app.1.prof", path("app.1.prof")),
        "app.1.prof: contains the traffic of one rank: MPI_M_flush writes files PREFIX.RANK.prof; pass app");
}

TEST_F(TrafficFiles, ComplainsAboutRows) {
    const auto row = [&](const std::string& rank, const std::string& rest) {
        return write("r." + rank + ".prof",
                     "# sent by rank " + rank + " of 2, rank 0 of MPI_COMM_WORLD, P2P\n" + rest);
    };
    const std::string good = "# peer messages bytes\n0 0 0\n1 1 5\n";
    row("0", good);
    const auto about = [&](const std::string& rest) {
        row("1", rest);
        return complaint_about("r.1.prof", path("r"));
    };
    EXPECT_EQ(about("# peer messages bytes\n0 0 0\n"), "r.1.prof: 1 lines for 2 ranks");
    EXPECT_EQ(about(good + "0 0 0\n"), "r.1.prof:5: is about peer 0, not 2");
    EXPECT_EQ(about("0 0\n"), "r.1.prof:2: expected a line 'PEER MESSAGES BYTES'");
    EXPECT_EQ(about("0 0 -1\n"), "r.1.prof:2: '-1' is no whole number from 0 to 18446744073709551615");
    write("r.1.prof", "# sent by rank 0 of 2, rank 0 of MPI_COMM_WORLD, P2P\n" + good);
    EXPECT_EQ(complaint_about("r.1.prof", path("r")), "r.1.prof:1: is about rank 0, not 1");
    write("r.1.prof", "0 0 0\n1 1 5\n");
    EXPECT_EQ(complaint_about("r.1.prof", path("r")),
              "r.1.prof: expected a first line '# sent by rank R of N, ...', as from MPI_M_flush");
    row("1", good);
    row("2", good);  // of a larger job before
    EXPECT_EQ(complaint_about("r.0.prof", path("r")),
              "r.0.prof:1: is about 2 ranks, but there are 3 such files");
}

TEST_F(TrafficFiles, ReadsPipes) {
    const TrafficMatrix expected(2, {{0, 1, 5, 0}});
    for (const std::string text : {"0 5\n0 0\n", "# of a pipe\n\nranks 2\n0 1 5\n",
                                   "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n"}) {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
        close(ends[1]);
        EXPECT_EQ(read_traffic("/dev/fd/" + std::to_string(ends[0])), expected) << text;
        close(ends[0]);
    }
}

TEST_F(TrafficFiles, RefusesWhatMayHaveNoEnd) {
    EXPECT_EQ(complaint_about("/dev/zero", "/dev/zero"), "/dev/zero: is a device");
    EXPECT_EQ(complaint_about("/dev/null", "/dev/null"), "/dev/null: is empty");
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_EQ(complaint_about("pipe", path("pipe")), "pipe: is a named pipe");
    ASSERT_EQ(mkfifo(path("p.0.prof").c_str(), 0600), 0);
    EXPECT_EQ(complaint_about("p.0.prof", path("p")), "p.0.prof: is a named pipe");
    EXPECT_THROW(mapping::read_permutation(path("pipe")), topology::FileError);
    std::filesystem::create_directory(path("folder"));
    EXPECT_THROW(mapping::read_permutation(path("folder")), topology::FileError);
}

TEST_F(TrafficFiles, HasALimitOfLength) {
    const std::string text = "0 5\n# comment\n\n\n0 0\n";  // for any lines
    std::string_view line;
    mapping::LineReader enough(write("m", text), text.size());
    while (enough.next(line)) {
    }
    mapping::LineReader reader(path("m"), text.size() - 1);
    EXPECT_TRUE(reader.next(line));
    try {
        reader.next(line);
        FAIL() << line;
    } catch (const topology::FileError& error) {
        EXPECT_EQ(error.what(), path("m") + ": is longer than " + std::to_string(text.size() - 1) + " bytes");
    }
}

TEST_F(TrafficFiles, LimitsDenseMatrices) {
    std::string row = "1";
    for (int i = 1; i < 65537; ++i) row += " 0";
    EXPECT_EQ(complaint(row + "\n"), "m:1: a dense matrix has at most 65536 ranks; use the sparse format");
    std::ostringstream out;
    EXPECT_THROW(write_dense(out, TrafficMatrix(mapping::most_dense_ranks + 1)), std::invalid_argument);
    EXPECT_EQ(out.str(), "");
}

TEST_F(TrafficFiles, WritesWhatItReads) {
    std::ostringstream sparse, dense;
    write_sparse(sparse, three);
    EXPECT_EQ(read_traffic(write("s", sparse.str())), three);
    write_dense(dense, three);
    EXPECT_EQ(dense.str(), "0 5 18446744073709551600\n0 0 0\n7 0 0\n");
    EXPECT_EQ(read_traffic(write("d", dense.str())).bytes(), three.bytes());
}

TEST_F(TrafficFiles, ComplainsAboutDenseMatrices) {
    EXPECT_EQ(complaint(""), "m: is empty");
    EXPECT_EQ(complaint("# nothing\n"), "m: contains only comments");
    EXPECT_EQ(complaint("\r\r \r"), complaint(""));  // blank, too
    EXPECT_EQ(complaint("0 1\n2\n"), "m:2: 1 numbers, but the first row has 2");
    EXPECT_EQ(complaint("0 1\n2 0\n# x\n3 4\n"), "m:4: more rows than the 2 numbers of a row");
    EXPECT_EQ(complaint("0 1\n"), "m: 1 rows of 2 numbers: a matrix has as many rows as columns");
    EXPECT_EQ(complaint("0 1\n-2 0\n"), "m:2: '-2' is no whole number from 0 to 18446744073709551615");
    EXPECT_EQ(complaint("0 1.5\n2 0\n"), "m:1: '1.5' is no whole number from 0 to 18446744073709551615");
    EXPECT_EQ(complaint("0 18446744073709551616\n2 0\n"),
              "m:1: '18446744073709551616' is no whole number from 0 to 18446744073709551615");
    EXPECT_EQ(complaint("0 18446744073709551615\n1 0\n"), "m:2: all numbers together do not fit 64 bits");
    write("app_sizes.0.prof", "0 5\n6 0\n");
    write("app_counts.0.prof", "0\n");
    EXPECT_EQ(complaint_about("app_counts.0.prof", path("app")),
              "app_counts.0.prof: 1 rows, but app_sizes.0.prof has 2");
    write("app_sizes.1.prof", "0 5\n6 0\n");
    EXPECT_EQ(complaint_about("app", path("app")),
              "app: there are several matrices of that name; pass one of them: app_sizes.0.prof");
}

TEST_F(TrafficFiles, ComplainsAboutSparseMatrices) {
    const auto sparse = TrafficFormat::sparse;
    EXPECT_EQ(complaint("0 1 2\n", sparse), "m:1: expected a first line 'ranks N'");
    EXPECT_EQ(complaint("# x\n", sparse), "m: there is no line 'ranks N'");
    EXPECT_EQ(complaint("ranks 0\n"), "m:1: a matrix has at least 1 rank");
    EXPECT_EQ(complaint("ranks 4000001\n"), "m:1: '4000001' is no whole number from 0 to 4000000");
    EXPECT_EQ(complaint("ranks 2 3\n"), "m:1: expected a first line 'ranks N'");
    EXPECT_EQ(complaint("ranks 2\n0 1\n"), "m:2: expected a line 'FROM TO BYTES [MESSAGES]'");
    EXPECT_EQ(complaint("ranks 2\n0 1 2 3 4\n"), "m:2: expected a line 'FROM TO BYTES [MESSAGES]'");
    EXPECT_EQ(complaint("ranks 2\n\n0 2 5\n"), "m:3: '2' is no rank from 0 to 1");
    EXPECT_EQ(complaint("ranks 2\n-1 0 5\n"), "m:2: '-1' is no rank from 0 to 1");
    EXPECT_EQ(complaint("ranks 2\n0 1 5k\n"), "m:2: '5k' is no whole number from 0 to 18446744073709551615");
    EXPECT_EQ(complaint("ranks 2\n0 1 1 18446744073709551615\n1 0 1 1\n"),
              "m:3: all numbers together do not fit 64 bits");
}

TEST_F(TrafficFiles, ComplainsAboutMatrixMarket) {
    const std::string banner = "%%MatrixMarket matrix coordinate integer general\n";
    const std::string wanted =
        "m:1: expected a first line '%%MatrixMarket matrix coordinate integer|real|pattern "
        "general|symmetric'";
    EXPECT_EQ(complaint("%%MatrixMarket matrix array real general\n1 1\n1\n"), wanted);
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"), wanted);
    EXPECT_EQ(complaint(banner), "m: there is no line 'ROWS COLUMNS ENTRIES'");
    EXPECT_EQ(complaint(banner + "2 2\n"), "m:2: expected a line 'ROWS COLUMNS ENTRIES'");
    EXPECT_EQ(complaint(banner + "2 3 0\n"), "m:2: a matrix has as many rows as columns");
    EXPECT_EQ(complaint(banner + "2 2 1\n0 1 5\n"), "m:3: rows and columns are counted from 1");
    EXPECT_EQ(complaint(banner + "2 2 1\n3 1 5\n"), "m:3: '3' is no whole number from 0 to 2");
    EXPECT_EQ(complaint(banner + "2 2 1\n2 1\n"), "m:3: expected a line 'ROW COLUMN VALUE'");
    EXPECT_EQ(complaint(banner + "2 2 1\n2 1 0.5\n"), "m:3: '0.5' is no whole number from 0 to 2^53");
    EXPECT_EQ(complaint(banner + "2 2 1\n2 1 -5\n"), "m:3: '-5' is no whole number from 0 to 2^53");
    EXPECT_EQ(complaint(banner + "2 2 1\n2 1 5\n1 2 5\n"), "m:4: more than the 1 entries announced");
    EXPECT_EQ(complaint(banner + "2 2 2\n2 1 5\n"), "m: 2 entries announced, but there are 1");
}

TEST_F(TrafficFiles, ComplainsAboutMonitoring) {
    write("p.0.prof", "# POINT TO POINT\nE\t0\t1\t10 bytes\t1 msgs sent\n");
    write("p.2.prof", "");
    EXPECT_EQ(complaint_about("p.1.prof", path("p")),
              "p.1.prof: is missing although there is p.2.prof: one file per rank is needed");
    write("p.1.prof", "X\t1\t0\n");
    EXPECT_EQ(complaint_about("p.1.prof", path("p")),
              "p.1.prof:1: unknown kind of line 'X'; known: E, I, S, R, C, D, O2A, A2O, A2A");
    const auto line = [&](const std::string& text) {
        write("p.1.prof", "# POINT TO POINT\n" + text + "\n");
        return complaint_about("p.1.prof", path("p"));
    };
    EXPECT_EQ(line("E\t1\t0\t10 bytes"), "p.1.prof:2: expected a line 'E FROM TO N bytes N msgs sent'");
    EXPECT_EQ(line("E\t0\t2\t10 bytes\t1 msgs sent"), "p.1.prof:2: is about rank 0, not 1");
    EXPECT_EQ(line("R\t0\t1\t10 bytes\t1 msgs sent"), "p.1.prof:2: is about rank 0, not 1");
    EXPECT_EQ(line("E\t1\t3\t10 bytes\t1 msgs sent"), "p.1.prof:2: '3' is no rank from 0 to 2");
    EXPECT_EQ(line("E\t1\t0\t10\t1 msgs sent"), "p.1.prof:2: '10' is not 'N bytes'");
    EXPECT_EQ(line("E\t1\t0\t10 bytes\tx msgs sent"),
              "p.1.prof:2: 'x' is no whole number from 0 to 18446744073709551615");
    EXPECT_EQ(complaint("E\t0\t0\t10 bytes\t1 msgs sent\n"),
              "m: Open MPI's monitoring writes files PREFIX.RANK.prof; pass PREFIX");
}

TEST_F(TrafficFiles, ComplainsAboutWhatIsNotThere) {
    EXPECT_EQ(complaint_about("none", path("none")),
              "none: there is neither this file nor none.0.prof nor none_sizes.RANK.prof");
    std::filesystem::create_directory(path("folder"));
    EXPECT_EQ(complaint_about("folder", path("folder")),
              "folder: there is neither this file nor folder.0.prof nor folder_sizes.RANK.prof");
    EXPECT_EQ(complaint_about("none", path("none"), TrafficFormat::sparse), "none: cannot be opened");
}

TEST_F(TrafficFiles, EndsOnFilesWithoutEnd) {
    EXPECT_THROW(read_traffic("/dev/zero"), topology::FileError);
    EXPECT_EQ(complaint(std::string(100000, 'x')),
              "m:1: '" + std::string(40, 'x') + "' is no whole number from 0 to 18446744073709551615");
    EXPECT_EQ(complaint(std::string("0 \0\n1 0\n", 8)).substr(0, 5), "m:1: ");
}

TEST_F(TrafficFiles, ReadsLongLines) {
    std::string row = "1";
    for (int i = 1; i < 40000; ++i) row += " 0";
    EXPECT_EQ(complaint(row + "\n"), "m: 1 rows of 40000 numbers: a matrix has as many rows as columns");
}

TEST_F(TrafficFiles, ReadsPermutations) {
    EXPECT_EQ(mapping::read_permutation(write("k", "# k\n2\n0\n\n1\n")), (std::vector<int>{2, 0, 1}));
    EXPECT_THROW(mapping::read_permutation(write("k", "2\nx\n")), topology::FileError);
    EXPECT_THROW(mapping::read_permutation(write("k", "# k\n")), topology::FileError);
    EXPECT_THROW(mapping::read_permutation(path("none")), topology::FileError);
}

TEST(TrafficMatrix, AddsPairsAndChecksRanksAndSums) {
    const TrafficMatrix matrix(3, {{2, 0, 1, 1}, {0, 1, 5, 1}, {2, 0, 3, 0}, {1, 1, 0, 0}});
    EXPECT_EQ(matrix.flows().size(), 2U);
    EXPECT_EQ(matrix.row(2).front(), (Flow{2, 0, 4, 1}));
    EXPECT_TRUE(matrix.row(1).empty());
    EXPECT_EQ(matrix.bytes(), 9U);
    EXPECT_THROW(TrafficMatrix(2, {{0, 2, 1, 1}}), std::invalid_argument);
    EXPECT_THROW(TrafficMatrix(2, {{-1, 0, 1, 1}}), std::invalid_argument);
    EXPECT_THROW(TrafficMatrix(-1), std::invalid_argument);
    EXPECT_THROW(TrafficMatrix(2, {{0, 1, ~0ULL, 1}, {1, 0, 1, 1}}), std::overflow_error);
    EXPECT_THROW(TrafficMatrix(2, {{0, 1, 1, ~0ULL}, {1, 0, 1, 1}}), std::overflow_error);
}

TEST(TrafficMatrix, ComesFromTheArraysOfASession) {
    const std::vector<unsigned long> sizes{0, 5, 6, 0}, counts{0, 1, 0, 0};
    EXPECT_EQ(TrafficMatrix::from_dense(2, sizes, counts), TrafficMatrix(2, {{0, 1, 5, 1}, {1, 0, 6, 0}}));
    EXPECT_EQ(TrafficMatrix::from_dense(2, sizes), TrafficMatrix(2, {{0, 1, 5, 0}, {1, 0, 6, 0}}));
    EXPECT_THROW(TrafficMatrix::from_dense(3, sizes), std::invalid_argument);
    EXPECT_THROW(TrafficMatrix::from_dense(2, sizes, std::vector<unsigned long>{1}), std::invalid_argument);
}

}  // namespace
}  // namespace strata::testing
