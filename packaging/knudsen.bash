# bash completion for knudsen.  The program itself lists commands, options, keys and cases, so that this file need not
# change with them.

# The completions of a placeholder of the help; $value is the text typed so far.
_knudsen_values() {
    case $1 in
    KEY=VALUE)
        if [[ $value == *=* ]]; then
            "$program" help "${value%%=*}" 2>/dev/null |
                awk -v key="${value%%=*}=" '/^    choice/ {on = 1; next} on && NF {print key $1}'
        else
            _knudsen_values KEY | sed 's/$/=/'
        fi
        ;;
    KEY)
        "$program" help keys 2>/dev/null | awk '
            /^[a-z][^ ]*: / {
                sub(/:$/, "", $1)
                n = split($1 ~ /<side>/ ? "left right bottom top back front" : "-", sides)
                for (i = 1; i <= n; i++) {key = $1; sub(/<side>/, sides[i], key); print key}
            }'
        ;;
    GROUP) "$program" help 2>/dev/null | awk '/^Groups/ {on = 1; next} on {print $1}' ;;
    CASE | NAME) "$program" cases 2>/dev/null | awk '{print $1}' ;;
    TOPIC) "$program" reproduce 2>/dev/null | awk '/^[a-z]/ {print $1}' ;;
    *.yaml) compgen -f -X '!*.y*ml' -- "$value"; compgen -d -- "$value" ;;
    DIR | FOLDER) compgen -d -- "$value" ;;
    FILE*) compgen -f -- "$value" ;;
    *[A-Z]*) ;;
    *) echo "$1" ;; # a literal word
    esac
}

_knudsen() {
    local program=${COMP_WORDS[0]/#\~/$HOME} line=${COMP_LINE:0:COMP_POINT} words help command kinds="" kind value cut
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local current=${words[-1]} previous=${words[-2]} count=${#words[@]}
    COMPREPLY=()

    # 1. the help of this command
    ((count > 2)) && command=${words[1]}
    help=$("$program" $command --help 2>/dev/null) || return

    # 2. the argument of an option?
    value=$current
    if [[ $current == --*=* ]]; then
        previous=${current%%=*}
        value=${current#*=}
    fi
    case $previous in
    --*) kinds=$(sed -nE "s/^ +(-., )?$previous\[?=([^] ]+).*/\2/p" <<<"$help") ;;
    -?) kinds=$(sed -nE "s/^ +$previous, --[a-z-]+\[?=([^] ]+).*/\1/p" <<<"$help") ;;
    esac

    # 3. else an option, a command, or what the usage names
    local replies=""
    if [[ -z $kinds && $current == -* ]]; then
        replies=$(sed -nE 's/^ +(-., )?(--[a-z-]+)\[?(=?).*/\2\3/p' <<<"$help")
    elif [[ -z $kinds && -z $command ]]; then
        replies=$(awk '/^Commands:/ {on = 1; next} on && NF == 0 {exit} on && /^  [a-z]/ {print $1}' <<<"$help")
    elif [[ -z $kinds ]]; then
        kinds=$(sed -nE '1s/^Usage: knudsen [a-z]+( \[OPTION\.\.\.\])?//p' <<<"$help" | sed 's/\.\.\.//g' | tr '[]|' '   ')
    fi
    for kind in $kinds; do replies+=$'\n'$(_knudsen_values "$kind"); done
    mapfile -t COMPREPLY < <(IFS=$'\n' compgen -W "$replies" -- "$value")

    # 4. bash replaces only the text after the last =; no space follows a word that ends with =
    [[ $kinds =~ DIR|FOLDER|FILE|yaml ]] && compopt -o filenames 2>/dev/null
    [[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace 2>/dev/null
    cut=${value%"${value##*=}"}
    [[ $COMP_WORDBREAKS == *=* && -n $cut ]] && COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    return 0
}
complete -F _knudsen knudsen
