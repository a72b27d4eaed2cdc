# shellcheck shell=bash
# The environment in which kubature is built and run. Sourced by the other scripts, which use
#
#   choose_environment [LIST]  uses this machine if CMake finds all that kubature needs here, otherwise an isolated
#                             Debian unstable root, made the first time, with the packages of scripts/LIST.txt: by
#                             default those of packages (to build and run the program) and packages-tests; if neither is
#                             possible, says what to install and exits
#   choose_gpu                uses this machine with its GPU, in another build folder, if it has one of NVIDIA's, nvcc and
#                             CMake; fails otherwise, and says why if there is a GPU
#   choose_fetching           uses this machine with a Kokkos that CMake fetches, if choose_environment would find none;
#                             fails otherwise
#   find_documentation_tools  uses this machine or the root if either has what builds the documentation
#                             (scripts/packages-docs.txt); fails otherwise
#   add_nightly_packages      adds what the nightly checks need in addition (scripts/packages-nightly.txt)
#   build TARGET [fp64]       builds a CMake target in that environment; with fp64 the program need only compute in
#                             that precision, which compiles in less than half the time
#   build_preset PRESET       builds a preset of CMakePresets.json there
#   inside COMMAND ...        runs a command in that environment, in the current folder, with kubature on its PATH and
#                             for Python
#   quietly LOG COMMAND ...   runs one of the above with its output in a file, whose end is shown if the command fails

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$project/build/scripts
home=~ # known even without HOME
cache=$(realpath -m "${KUBATURE_CACHE:-${XDG_CACHE_HOME:-$home/.cache}/kubature}")
root=$cache/unstable
PATH=$PATH:/usr/sbin:/sbin
kokkos_from=$(sed -n 's/^set(KUBATURE_KOKKOS_FROM \(.*\))/\1/p' "$project/CMakeLists.txt")
kokkos_below=$(sed -n 's/^set(KUBATURE_KOKKOS_BELOW \(.*\))/\1/p' "$project/CMakeLists.txt")

backend=() # options of CMake for one that is not a matter of what is installed

exec 3>&2 # where progress is reported, even while standard error goes to a file
say() { printf 'kubature: %s\n' "$@" >&3; }

choose_environment() { # [LIST]
  if host_suffices; then
    environment=host
  elif root_is_possible; then
    environment=root
    # shellcheck disable=SC2086 # two words
    complete_root ${1-packages packages-tests}
    require_kokkos_of_root
  else
    say 'install CMake 3.25, Python, GoogleTest, CLI11, nlohmann-json, Google Benchmark, and Kokkos' \
      "$kokkos_from or later, below $kokkos_below (named by Kokkos_ROOT);" \
      'or, on Debian, run this as root, or as a user with the package uidmap: it then installs all of that in a folder' \
      'of its own; or use the Containerfile.'
    exit 1
  fi
}

choose_gpu() {
  local gpu nvcc=nvcc
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1) && [[ $gpu ]] || return
  command -v nvcc >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
  if ! command -v "$nvcc" cmake >/dev/null; then
    say "found $gpu, but not both nvcc and CMake, which building for it takes: this computes on CPUs"
    return 1
  fi
  say "found $gpu and $(command -v "$nvcc"): this builds for CUDA"
  if command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=${CMAKE_GENERATOR-Ninja}
  fi
  environment=host
  build=$project/build/cuda
  backend=(-DKUBATURE_REQUIRE_BACKEND=CUDA -DKUBATURE_KOKKOS="$([[ ${Kokkos_ROOT-} ]] && echo INSTALLED || echo FETCH)")
}

choose_fetching() {
  host_suffices || root_is_possible || ! command -v cmake >/dev/null && return 1
  say 'CMake finds no Kokkos here, or not all else: it fetches what is missing'
  environment=host
}

inside() {
  case $environment in
    host)
      env PATH="$build/app:$PATH" PYTHONPATH="$build/bindings/python${PYTHONPATH:+:$PYTHONPATH}" "$@"
      ;;
    root)
      # UCX, which comes with Debian's MPICH, otherwise patches the calls that map memory when it is loaded, which takes
      # every program that links MPI 0.4 s.
      enter "$root" "$(user_folders)" env --chdir="$PWD" "${foreign[@]/#/--unset=}" \
        LANG=C.UTF-8 CMAKE_GENERATOR=Ninja UCX_MEM_EVENTS=n PYTHONPATH="$build/bindings/python" \
        PATH="$build/app:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$@"
      ;;
  esac
}

quietly() {
  local log=$1 status=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 || status=$?
  if ((status)); then
    tail -n 60 "$log" >&3
    say "failed; all of the output is in $log"
  fi
  return $status
}

# ---- the build ---------------------------------------------------------------------------------------------

# Whether these steps of Ninja compile more than version.cpp, which every commit changes. Running CMake takes a second.
takes_time() { # STEPS
  grep Building <<<"$1" | grep -v version.cpp >/dev/null
}

build() ( # TARGET [fp64]; in a subshell, which holds the lock
  mkdir -p "$project/build"
  exec 9>"$project/build/scripts.lock"
  flock 9
  identity=$(describe_toolchain) || return
  [[ $identity == "$(cat "$build/toolchain" 2>/dev/null)" ]] || rm -rf "$build"
  extent=$(cat "$build/extent" 2>/dev/null) || extent=none
  if [[ $extent == none || (${2-all} == all && $extent != all) ]]; then
    say "configuring $build"
    configure "${2-all}" || return
    echo "${2-all}" >"$build/extent"
    echo "$identity" >"$build/toolchain"
  fi
  steps=$(build_target "$1" -- -n) || true
  [[ $steps == *'no work to do'* ]] && return
  if takes_time "$steps"; then
    say "building $build"
  fi
  build_target "$1" --parallel "$(jobs_that_fit)"
)

build_preset() {
  inside env --chdir="$project" cmake --preset "$1" &&
    inside env --chdir="$project" cmake --build --preset "$1" --parallel "$(jobs_that_fit)"
}

configure() { # all or fp64
  local parts=(-DKUBATURE_BUILD_TESTS=ON -DKUBATURE_CHECK_PERF=ON) groups=OFF
  [[ $environment != root ]] || parts+=(-DKUBATURE_TEST_KERNELS=/usr/local/trilinos/usr)
  (($(jobs_that_fit) > 4)) || groups=ON # otherwise single files are faster
  [[ $1 == all ]] || parts=(-DKUBATURE_BUILD_TESTS=OFF -DKUBATURE_FP64_ONLY=ON)
  # shellcheck disable=SC2206 # words
  parts+=("${backend[@]}" ${KUBATURE_OPTIONS-})
  inside cmake --fresh -S "$project" -B "$build" -DCMAKE_BUILD_TYPE=Release "${parts[@]}" \
    -DKUBATURE_IN_GROUPS=$groups -DKUBATURE_WARNINGS_AS_ERRORS="${CI:+ON}"
}

build_target() { inside cmake --build "$build" --target "$@"; }

# A build folder must not outlive a change of these: its path, its configuration, its compiler and the packages that the
# program is built with.
describe_toolchain() {
  declare -f configure
  echo "$environment $project ${CMAKE_GENERATOR-} ${CMAKE_PREFIX_PATH-} ${Kokkos_ROOT-} ${KUBATURE_OPTIONS-}"
  # shellcheck disable=SC2016
  inside sh -c 'command -v cmake && cmake --version && ${CXX:-c++} --version' || return
  # shellcheck disable=SC2046 # one word per package
  [[ $environment == host ]] ||
    dpkg-query --admindir="$root/var/lib/dpkg" --show $(sed 's/#.*//' "$project/scripts/packages.txt")
}

# The cores that this process may use: nproc would follow OMP_NUM_THREADS.
cores() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; }

# One job per core, as far as there are 2.5 GiB of memory for each, which Kokkos's headers can take.
jobs_that_fit() {
  local cores fit
  cores=$(cores)
  fit=$(awk '/^MemAvailable/ { print int($2 / 2621440) }' /proc/meminfo)
  echo $((fit < 1 ? 1 : fit < cores ? fit : cores))
}

# ---- this machine ------------------------------------------------------------------------------------------

host_suffices() {
  command -v cmake >/dev/null || return
  if command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=${CMAKE_GENERATOR-Ninja}
  fi
  local probe status=0
  probe=$(mktemp -d)
  cat >"$probe/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES CXX)
find_package(Kokkos REQUIRED CONFIG)
if(Kokkos_VERSION VERSION_LESS FROM OR Kokkos_VERSION VERSION_GREATER_EQUAL BELOW)
  message(FATAL_ERROR "Kokkos ${Kokkos_VERSION}")
endif()
foreach(package GTest CLI11 nlohmann_json benchmark Python3)
  find_package(${package} REQUIRED)
endforeach()
END
  cmake -S "$probe" -B "$probe/build" -DFROM="$kokkos_from" -DBELOW="$kokkos_below" >/dev/null 2>&1 || status=$?
  rm -rf "$probe"
  return $status
}

# ---- the isolated root -------------------------------------------------------------------------------------

# Users other than root become root in a namespace, where their subordinate ids stand for those of the system.
own_ids=()
((EUID == 0)) || own_ids=(--map-root-user --map-auto)

root_is_possible() {
  [[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]] &&
    command -v apt-get >/dev/null &&
    unshare "${own_ids[@]}" --mount mount --rbind / /mnt 2>/dev/null
}

# Makes the root if there is none, and installs what package lists name. An interruption does no harm: the root gets its
# name when it is complete, and stamps in it say from which lists.
complete_root() { # LIST ...
  root_has "$@" && return
  mkdir -p "$cache"
  (
    flock 9
    if [[ ! -e $root ]]; then
      say "making a Debian unstable root in $root (once, a minute or two)"
      quietly "$cache/log" unshare "${own_ids[@]}" --mount "$project/scripts/make-root" "$root.new"
      say 'installing CMake, a compiler and Kokkos there'
      quietly "$cache/log" install_packages "$root.new" "$@"
      mv "$root.new" "$root"
    elif ! root_has "$@"; then # another process may have installed them meanwhile
      say "installing the packages of $(printf 'scripts/%s.txt ' "$@")in $root"
      quietly "$cache/log" install_packages "$root" "$@"
    fi
  ) 9>"$cache/lock"
}

# Debian moves on to new releases of Kokkos, which kubature may not support yet.
require_kokkos_of_root() {
  local version
  version=$(dpkg-query --admindir="$root/var/lib/dpkg" --show --showformat '${Version}' libkokkos-dev)
  dpkg --compare-versions "$version" ge "$kokkos_from" && dpkg --compare-versions "$version" lt "$kokkos_below~" && return
  say "Debian unstable now has Kokkos $version, but kubature needs $kokkos_from or later, below $kokkos_below:" \
    "install such a Kokkos and name it by Kokkos_ROOT, or use a kubature that supports Debian's; $root can be deleted."
  exit 1
}

find_documentation_tools() {
  if command -v sphinx-build >/dev/null && command -v doxygen >/dev/null &&
    python3 -c 'import furo, myst_parser, sphinx_inline_tabs' 2>/dev/null; then
    environment=host
  else
    root_has packages-docs && root_is_possible && environment=root
  fi
}

add_nightly_packages() {
  if [[ $environment == host ]]; then
    command -v clang++ >/dev/null && command -v clang-tidy >/dev/null && return
    say 'install the packages of scripts/packages-nightly.txt, or their equivalents'
    exit 1
  fi
  complete_root packages-nightly
}

root_has() { # LIST ...
  local list
  for list; do
    [[ $(cat "$root/stamp-$list" 2>/dev/null) == "$(list_hash "$list")" ]] || return
  done
}

list_hash() { sha256sum <"$project/scripts/$1.txt"; } # LIST

install_packages() { # ROOT LIST ...
  local folder=$1 lists=("${@:2}") list
  lists=("${lists[@]/#/$project/scripts/}")
  cp --dereference /etc/resolv.conf "$folder/etc/" || return
  cat "${lists[@]/%/.txt}" |
    enter "$folder" $'/proc\n/sys\n/dev' sh -c "$(<"$project/scripts/install-packages")" || return
  for list in "${@:2}"; do
    list_hash "$list" >"$folder/stamp-$list"
  done
}

# Runs a command in a root, with folders of this machine (one per line) at the same paths there. The mounts are in a
# namespace of the command's own and disappear with it.
enter() { # ROOT FOLDERS COMMAND ...
  # shellcheck disable=SC2016
  unshare "${own_ids[@]}" --mount --propagation private bash -euc '
    root=$1
    mount --bind "$root" "$root"
    mount --make-unbindable "$root" # a folder that holds the root comes without the mounts in it
    while read -r folder; do
      mkdir -p "$root$folder"
      mount --rbind "$folder" "$root$folder"
    done <<<"$2"
    shift 2
    exec chroot "$root" "$@"' enter "$@"
}

# All folders of this machine that may hold a user's files: all except those that make up the system, and of these the
# project, the cache and the current folder.
user_folders() {
  local folder
  for folder in /*/; do
    case $folder in
      /bin/ | /etc/ | /lib*/ | /run/ | /sbin/ | /usr/ | /var/) ;;
      *) echo "${folder%/}" ;;
    esac
  done
  for folder in "$project" "$cache" "$(pwd -P)"; do
    [[ $(ls -A "$root$folder" 2>/dev/null) ]] || echo "$folder"
  done
}

# Variables that name compilers and libraries of this machine, which the root does not have.
foreign=(CC CXX CPATH LIBRARY_PATH LD_LIBRARY_PATH LD_PRELOAD PYTHONHOME PYTHONPATH
  CMAKE_PREFIX_PATH Kokkos_DIR Kokkos_ROOT)
