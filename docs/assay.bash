# SPDX-License-Identifier: Apache-2.0
# Made by scripts/make-cli-docs.sh; do not edit.
_assay() {
    local words='' names='' command=${COMP_WORDS[0]##*/} current=${COMP_WORDS[COMP_CWORD]}
    case $command in
    assay) [ "$COMP_CWORD" -gt 1 ] && command="assay ${COMP_WORDS[1]}" ;;
    assay-bench) [ "$COMP_CWORD" -gt 1 ] && command="assay-bench ${COMP_WORDS[1]}" ;;
    esac
    case $command in
    'assay groth16') [ "$COMP_CWORD" -gt 2 ] && command="$command ${COMP_WORDS[2]}" ;;
    esac
    case $command in
    assay) names=yes words='reply request ask check eval info groth16 ' ;;
    assay-bench) names=yes words='single batch sweep status metrics preload evict cancel ' ;;
    'assay groth16') names=yes words='setup prove verify export-vkey export-calldata info check-witness ' ;;
    'cp_commit') words='--model --out --security --lifetime --calibrate --force --threads --json --quiet --help --version ' ;;
    'cp_prove') words='--commitment --req --y --out --skip --share --wait --check --plan --memory -policy --threads --json --quiet --help --version ' ;;
    'cp_verify') words='-id --security -policy --verbose --json --quiet --help --version ' ;;
    'assay reply') words='--commitment --prompt --prompt-file --system --user --assistant --max-tokens --req --y --context --threads --json --quiet --help --version ' ;;
    'assay request') words='--config --prompt --prompt-file --system --user --assistant --reply --reply-tokens --y --req --y-out --context --json --quiet --help --version ' ;;
    'assay ask') words='--system --user --assistant --max-tokens --context --skip --share --wait -policy --keep --threads --verbose --json --quiet --help --version ' ;;
    'assay check') words='--config --ivk --prompt --prompt-file --system --user --assistant --max-tokens --req --y --proof -id --shown --context --security -policy --json --quiet --help --version ' ;;
    'assay eval') words='--model --commitment --calibrate --text --ids --stream --start --window --tokens --margin --only --threads --json --quiet --help --version ' ;;
    'assay info') words='--json --quiet --help --version ' ;;
    'assay groth16 setup') words='--out --threads --json --quiet --help --version ' ;;
    'assay groth16 prove') words='--memory --r1cs --sym --development --threads --json --quiet --help --version ' ;;
    'assay groth16 verify') words='--development --bellperson --json --quiet --help --version ' ;;
    'assay groth16 export-vkey') words='--development --json --quiet --help --version ' ;;
    'assay groth16 export-calldata') words='--json --quiet --help --version ' ;;
    'assay groth16 info') words='--threads --json --quiet --help --version ' ;;
    'assay groth16 check-witness') words='--sym --threads --json --quiet --help --version ' ;;
    'assayd') words='--config --listen --status-listen --queue --circuits --models --memory --partition-workers --gpu-workers --gpu-threads --no-pipeline --preload --log-level --check-config --print-config --quiet --help --version ' ;;
    'assay-bench single') words='--req --y --addr --tls-ca --tls-cert --tls-key --token-file --circuit --witness --committed --type --c1 --vanilla --registered-proof --sector-num --miner-id --partition --randomness --comm-r-old --comm-r-new --comm-d-new --priority --timeout --out --public-out --json --quiet --help --version ' ;;
    'assay-bench batch') words='--req --y --addr --tls-ca --tls-cert --tls-key --token-file --circuit --witness --committed --type --c1 --vanilla --registered-proof --sector-num --miner-id --partition --randomness --comm-r-old --comm-r-new --comm-d-new --priority --timeout --count --concurrency --json --quiet --help --version ' ;;
    'assay-bench sweep') words='--req --y --circuit --witness --committed --type --c1 --vanilla --registered-proof --sector-num --miner-id --partition --randomness --comm-r-old --comm-r-new --comm-d-new --priority --timeout --count --concurrency --csv --svg --force --circuits --models --memory --partition-workers --gpu-workers --gpu-threads --no-pipeline --preload --json --quiet --help --version ' ;;
    'assay-bench status') words='--addr --tls-ca --tls-cert --tls-key --token-file --json --quiet --help --version ' ;;
    'assay-bench metrics') words='--addr --tls-ca --tls-cert --tls-key --token-file --json --quiet --help --version ' ;;
    'assay-bench preload') words='--addr --tls-ca --tls-cert --tls-key --token-file --json --quiet --help --version ' ;;
    'assay-bench evict') words='--addr --tls-ca --tls-cert --tls-key --token-file --json --quiet --help --version ' ;;
    'assay-bench cancel') words='--addr --tls-ca --tls-cert --tls-key --token-file --json --quiet --help --version ' ;;
    esac
    case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
    *) if [ "$names" ]; then
           mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
       else
           mapfile -t COMPREPLY < <(compgen -f -- "$current")
       fi ;;
    esac
}
complete -o filenames -F _assay assay assay-bench cp_commit cp_prove cp_verify assayd
