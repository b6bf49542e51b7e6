# shellcheck shell=bash
# The tables of docs/theory/joints.md, for scripts/pages.sh (scripts/joints.sh measures).

table_joints_accelerations()
{
    echo '| model | bodies, with carriers | degrees of freedom | actuators | largest off, relative |'
    echo '|---|---|---|---|---|'
    awk -F, 'NR > 1 { printf "| %s | %d | %d | %d | %s |\n", $1, $2, $3, $4, $7; if ($7 + 0 > worst + 0) worst = $7; count++ }
        END { printf "\nAll %d are within %s of MuJoCo'"'"'s; the limit is 1e-8.\n", count, worst }' "$results/joints_accelerations.csv"
}

table_joints_cost()
{
    echo '| links | where | MuJoCo | XPBD-R | ratio |'
    echo '|---|---|---|---|---|'
    awk -F, 'NR > 1 { unit = $2 ~ /instructions/ ? "" : " us"; printf "| %d | %s | %s%s | %s%s | %s |\n", $1, $2, $3, unit, $4, unit, $5 }' \
        "$results/joints_cost.csv"
}

table_joints_growth()
{
    echo '| one chain of | links | instructions of a substep | per link | Newton steps, mean | largest gap [m] |'
    echo '|---|---|---|---|---|---|'
    awk -F, 'NR > 1 { printf "| %ss | %d | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }' "$results/joints_growth.csv"
}

table_joints_gaps()
{
    echo '| scene | joints | substeps | largest gap [m] | largest turn [rad] |'
    echo '|---|---|---|---|---|'
    awk -F, 'NR > 1 { printf "| %s | %d | %d | %s | %s |\n", $1, $2, $3, $4, $5 }' "$results/joints_gaps.csv"
}

table_joints_grip()
{
    echo '| share of the force needed | after [s] | solver | down [m] | exact [m] |'
    echo '|---|---|---|---|---|'
    awk -F, 'NR > 1 { printf "| %s | %s | %s | %.3g | %.3g |\n", $1, $2, $3, $4, $5 }' "$results/joints_grip.csv"
}

table_joints_order()
{
    echo '| what | largest step dt | error at dt | dt/2 | dt/4 | dt/8 | last ratio |'
    echo '|---|---|---|---|---|---|---|'
    awk -F, '$1 == "order" { printf "| %s [%s] | %s ms | %s | %s | %s | %s | %.3f |\n", $2, $3, $4, $5, $6, $7, $8, $7 / $8 }' \
        "$results/joints_laws.csv"
}

table_joints_laws()
{
    echo '| what | measured | limit |'
    echo '|---|---|---|'
    awk -F, '$1 == "measured" { printf "| %s | %s | %s |\n", $2, $3, $4 }' "$results/joints_laws.csv"
}
