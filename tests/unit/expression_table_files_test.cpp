#include "expression_tables.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace expression_table_files_test {
namespace {

using expression_tables::at;
using ExpressionTableFiles = expression_tables::TableFiles;

TEST_F(ExpressionTableFiles, ReadsTextsInManyForms) {
  std::vector<std::string> const forms{"0 1\n1 3\n",
                                       "0,1\n1,3",
                                       "0, 1\r\n1 ,\t3\r\n",
                                       "\t0\t1 \n\n 1   3\n\n\n",
                                       "x,f(x)\n0,1\n1,3\n",
                                       "\"x\",\"a value\"\n\"0\",\"1\"\n\" 1 \",3\n",
                                       "# x value\nx value\n# 1 2 3\n1 3 # the last\n0 1\n",
                                       "\xEF\xBB\xBF"
                                       "0 1\n1 3\n",
                                       "+0e0 1.0E+00\n1. 30e-1\n",
                                       "1 3\n.5 2\n-0 1\n"};
  for (auto const& text : forms)
    EXPECT_EQ(of(text, {0.5}), 2) << text;
  EXPECT_EQ(of("1 1 4\n0 1 2\n1 0 3\n0 0 1\n", {0.5, 0.5}), 2.5);
  folder.write("größe (m) 'n'.csv", "0 1\n1 3\n");
  EXPECT_EQ(at(call("größe (m) 'n'.csv"), {0.5}), 2);
}

TEST_F(ExpressionTableFiles, RefusesWhatIsNoTable) {
  refused("table(f, x)", "column 7: expected the name of a file in quotes, found 'f'");
  refused("table(\"\", x)", "column 7: expected the name of a file in quotes, found \"\"");
  refused("table()", "column 7: expected the name of a file in quotes, found ')'");
  refused("table(\"f\" x)", "column 11: expected ',' after the name of the file, found 'x'");
  refused("table(\"f, x)", "column 7: the name of a file lacks its second \"");
  refused("x + \"f\"", "column 5: the name of a file, \"f\", is possible only as in table(\"f\", x)");
  for (auto const& [arguments, given] : {std::pair{"", "0"}, {",", "0"}, {", x, y, z, x", "4"}})
    refused("table(\"f\"" + std::string(arguments) + ")",
            "column 1: 'table' takes 1 to 3 arguments after the name of the file, given " + std::string(given));
  refused("let table = 2; x", "column 5: 'table' is a function");
  auto const none = folder.path("none");
  refused("x*table(\"" + none + "\", x)", "column 9: file '" + none + "': No such file or directory");
  auto const directory = std::filesystem::path(none).parent_path().string();
  refused("table(\"" + directory + "\", x)", "column 7: file '" + directory + "': it is a directory");
  refused("table(\"/dev/zero\", x)", "column 7: file '/dev/zero': it is not a regular file");
}

TEST_F(ExpressionTableFiles, NamesTheLineThatIsWrong) {
  refused_file("", "x", ": it has no rows of numbers");
  refused_file("# 0 1\n\nx y\n", "x", ": it has no rows of numbers");
  refused_file("0 1\n1 two\n", "x", ", line 2: 'two' is not a number");
  refused_file("x y\n\na b\n", "x", ", line 3: 'a' is not a number");
  refused_file("0 1\n1 nan\n", "x", ", line 2: 'nan' is not finite");
  refused_file("0 1\n1 -inf\n", "x", ", line 2: '-inf' is not finite");
  refused_file("0 1\n1 1e999\n", "x", ", line 2: '1e999' is outside the range of double precision");
  refused_file("0,1\n1,\n", "x", ", line 2: a number is missing between commas");
  refused_file("0 1\n1 2 3\n", "x", ", line 2: it has 3 columns instead of 2: x and the value");
  refused_file("0\n", "x, y", ", line 1: it has 1 column instead of 3: x, y and the value");
  refused_file("0 1\n", "x, y, z", ", line 1: it has 2 columns instead of 4: x, y, z and the value");
  refused_file("0 1\n", "x", ": the only node along the axis x is 0; at least two are needed");
  refused_file("0 -1 1\n1 -1 2\n", "x, y", ": the only node along the axis y is -1; at least two are needed");
  refused_file("0 1\n#\n1 2\n-0 3\n", "x", ", line 4: it repeats the node of line 1, x = 0");
  refused_file("0 0 1\n0 1 1\n1 0.5 1\n", "x, y", ": the grid is not full: there is no row for x = 0, y = 0.5");
  refused_file("0 0 1\n0 1 1\n1 0 1\n", "x, y", ": the grid is not full: there is no row for x = 1, y = 1");
  refused_file(std::string("0 1\n\0\0\n", 7), "x", ", line 2: it is neither text nor in the format of NumPy (NPY)");
  refused_file("0 1\n" + std::string(70'000, ' '), "x", ", line 2: it is longer than 65534 characters");
  refused_file("0 " + std::string(50, 'a') + "\x1b\n", "x",
               ", line 1: '" + std::string(40, 'a') + "...' is not a number");
}

/// A file in the format of NumPy.
std::string npy(std::string const& header, auto const& numbers, char version = 1) {
  std::string text("\x93NUMPY");
  text += {version, '\0', static_cast<char>(header.size() + 1), '\0'};
  if (version == 2)
    text += {'\0', '\0'};
  text += header + '\n';
  for (auto const number : numbers)
    for (std::size_t k = 0; k < sizeof number; ++k)
      text += static_cast<char>(
          std::bit_cast<std::conditional_t<sizeof number == 8, std::uint64_t, std::uint32_t>>(number) >> 8 * k);
  return text;
}

std::string header(std::string const& type, std::string const& shape, bool by_columns = false) {
  return "{'descr': " + type + ", 'fortran_order': " + (by_columns ? "True" : "False") + ", 'shape': " + shape + ", }";
}

TEST_F(ExpressionTableFiles, ReadsArraysOfNumPy) {
  std::vector<double> const rows{1, 3, 0, 1, 4, 2}, columns{1, 0, 4, 3, 1, 2};
  std::vector<float> const single(rows.begin(), rows.end());
  for (auto const& text : {npy(header("'<f8'", "(3, 2)"), rows), npy(header("'<f8'", "(3, 2)"), rows, 2),
                           npy(header("'<f8'", "(3, 2)", true), columns), npy(header("'<f4'", "(3, 2)"), single),
                           npy("{'shape':(3,2),'fortran_order':False,'descr':'<f8'}", rows)}) {
    EXPECT_EQ(of(text, {0.5}), 2);
    EXPECT_EQ(of(text, {2.5}), 2.5);
  }
  EXPECT_EQ(of(npy(header("'<f8'", "(4, 3)"), std::vector<double>{0, 0, 1, 0, 1, 2, 1, 0, 3, 1, 1, 4}), {0.5, 0.5}),
            2.5);
}

TEST_F(ExpressionTableFiles, SaysWhatIsWrongWithAnArray) {
  std::vector<double> const rows{0, 1, 1, 3};
  auto const refuse = [&](std::string const& text, std::string const& problem) { refused_file(text, "x", problem); };
  refuse(npy(header("'<f8'", "(3, 2)"), rows), ": it is truncated");
  refuse(npy(header("'<f8'", "(2, 2)"), rows).substr(0, 40), ": it is truncated");
  refuse("\x93NUMPY", ": it is truncated");
  refuse(npy(header("'<f8'", "(2, 2)"), rows, 3), ": its format has version 3 instead of 1 or 2");
  for (auto const* type : {">f8", "<i8", "<f2", "<c16"})
    refuse(npy(header("'" + std::string(type) + "'", "(2, 2)"), rows),
           ": its numbers are of type '" + std::string(type) + "' instead of '<f8' or '<f4'");
  for (auto const* shape : {"(4,)", "()", "(2, 1, 2)", "(1, 4)", "(-1, 2)", "(99999999999999999999, 2)"})
    refuse(npy(header("'<f8'", shape), rows),
           ": its shape is " + std::string(shape) + " instead of (rows, 2) with the columns x and the value");
  refuse(npy(header("'<f8'", "(0, 2)"), rows), ": it has no rows of numbers");
  refuse(npy(header("'<f8'", "(99999999999, 2)"), rows), ": it has more than 134217728 numbers");
  refuse(npy("{'descr': '<f8'}", rows), ": its header has no 'fortran_order'");
  refuse(npy(header("'<f8'", "(2, 2)"), std::vector<double>{0, 1, 1, NAN}), ", row 2: nan is not finite");
  refuse(npy(header("'<f8'", "(2, 2)"), std::vector<double>{1, 1, 1, 2}),
         ", row 2: it repeats the node of row 1, x = 1");
}

} // namespace
} // namespace expression_table_files_test
