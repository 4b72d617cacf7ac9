# Counts test cases after CTest: awk -v list=FILE -f count-cases.awk JUNIT LASTTEST prints "passed failed skipped" and writes what
# was skipped, and why, to the list.
#
# A test that prints counts of its own ("N passed, N failed[, N skipped]", or Criterion's synthesis) counts as these, any other as
# one case. Whether a test passed is for the JUnit file to say: the log calls a skipped one passed.

function attribute(name) {
    return match($0, name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3) : ""
}

function number_after(word) {
    return match($0, word " [0-9]+") ? substr($0, RSTART + length(word) + 1, RLENGTH - length(word) - 1) + 0 : 0
}

function finish() {
    if (name == "")
        return
    if (status[name] == "skipped")
        s = s + p + f > 0 ? s + p + f : 1
    if (status[name] == "skipped" || s + p + f == 0)
        p = f = 0
    if (status[name] == "run" && s + p + f == 0)
        p = 1
    if (status[name] == "fail" && f == 0)
        f = 1
    if (s > 0)
        printf "  %s: %d%s\n", name, s, why != "" ? why : (name ~ /^differential/ ? ", too large for brute force" : "") > list
    passed += p
    failed += f
    skipped += s
}

BEGIN { printf "" > list }

FNR == NR && /<testcase / {
    current = attribute("name")
    status[current] = attribute("status") == "run" ? "run" : "fail"
}
FNR == NR && /<skipped message="SKIP_RETURN_CODE/ { status[current] = "skipped" }
FNR == NR { next }

/^[0-9]+\/[0-9]+ Testing: / {
    finish()
    name = $3
    why = ""
    p = f = s = 0
}
/^SKIPPED/ { why = why ", " substr($0, 10) }
/^[0-9]+ passed, [0-9]+ failed/ {
    p += $1
    f += $3
    s += $6 ~ /^skipped/ ? $5 : 0
}
/Synthesis: Tested:/ {
    gsub(/\033\[[0-9;]*m/, "")
    p += number_after("Passing:")
    f += number_after("Failing:") + number_after("Crashing:")
}

END {
    finish()
    print passed + 0, failed + 0, skipped + 0
}
