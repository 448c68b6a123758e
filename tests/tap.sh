# Sourced by scripts: prints their results in TAP, one line each.
count=0 failed=0

# report STATUS NAME [FILE]: FILE contains details of a failure.
report() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        [ ! -s "${3:-}" ] || awk 'NR <= 40 { print "# " substr($0, 1, 400) }' "$3"
        failed=$((failed + 1))
    fi
}

# ok NAME: the status of the last command is the result. The file `err`, if any, has details.
ok() {
    report $? "$1" err
}

skip() { # NAME REASON
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

# Prints the last line and returns the status of the script.
finish() {
    echo "1..$count"
    [ $failed -eq 0 ]
}
