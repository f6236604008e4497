// Catch2 2 (Debian 12) and 3 (Debian 13) behind one header.
#ifndef CELLBLOCK_TESTS_SUPPORT_CATCH_H_
#define CELLBLOCK_TESTS_SUPPORT_CATCH_H_

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#endif  // CELLBLOCK_TESTS_SUPPORT_CATCH_H_
