# Sourced by the scripts beside it: results in TAP, one line each.
number=0

# result STATUS NAME [FILE]: FILE holds what there is to say about a failure.
result() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        [ -z "${3:-}" ] || sed 's/^/# /' "$3"
    fi
}

skipped() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

finish() {
    echo "1..$number"
}
