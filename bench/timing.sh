# Sourced by the benchmarks: finds the built explore and compiles and times small programs.
#
# Each benchmark takes the build folder and measures its own baseline in the same run; figures of different machines or hours
# are not comparable, ratios are.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:-$here/../build}" && pwd)
explore=$build/explore
[[ -x $explore ]] || { echo "$explore is not there: build first" >&2; exit 2; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mpicc=$(command -v mpicc.mpich || command -v mpicc)
mpiexec=$(command -v mpiexec.mpich || command -v mpiexec || true)

compile() { # SOURCE: prints the path of the program
    local program
    program=$scratch/$(basename "$1" .c)
    "$mpicc" -g -O1 -Wno-stringop-overflow "$1" -o "$program" && echo "$program"
}

microseconds() { # COMMAND...: wall-clock time
    local start=${EPOCHREALTIME/./}
    "$@" >"$scratch/out" 2>&1 </dev/null
    echo $((${EPOCHREALTIME/./} - start))
}

median_microseconds() { # RUNS COMMAND...
    local runs=$1 i
    shift
    for ((i = 0; i < runs; i++)); do microseconds "$@"; done | sort -n | sed -n "$(((runs + 1) / 2))p"
}

statistic() { # NAME REPORT
    # Phases have some of the same names.
    sed -n '/"stats": {/,$p' "$2" | grep -o "\"$1\": *[0-9.]*" | sed 's/.*: *//'
}

orderings() { # REPORT: as it says them, ">= 120"
    sed -n 's/.*"orderings": *"\([^"]*\)".*/\1/p' "$1"
}

compute() { awk 'BEGIN { for (i = 0; i < 4e6; i++) x += i }'; }

compute_twice() {
    compute &
    compute
    wait $!
}

possible_speed_up() { # what a second processor is worth now to two processes that share nothing: 2, unless others have work for it
    calculate %.2f "2 * $(microseconds compute) / $(microseconds compute_twice)"
}

calculate() { # FORMAT EXPRESSION
    awk "BEGIN { printf \"$1\", $2 }"
}
