# Sourced by the report's tests: small results of every study, and a stand-in for gnuplot.
header=test,seed,n,layers,radius_m,mu,force_N,mu_rod,offset_m,duration_s,dt_s,iterations,relaxation,solver,engine,precision,masses,ablate,outcome,settings,problem,particles,failed_at_s,final_position_error_m,final_rotation_error_deg,mean_position_error_m,mean_rotation_error_deg,max_tilt_deg,floor_position_m,floor_rotation_deg,quasistatic_final_position_m,quasistatic_final_rotation_deg,dynamic_tilt_final_position_m,dynamic_tilt_final_rotation_deg,us_per_substep

# TEST SEED N MU FORCE SOLVER PRECISION OUTCOME PARTICLES FAILED POSITION ROTATION [MASSES] [MICROSECONDS]: a run; of ours in double, on the reduced engine.
run()
{
    local engine="engine 1" masses=${13:-}
    case $6$7 in
        pbdf32 | pbd-rf32) engine=particle masses=${masses:-uniform} ;;
        pbd-rf64) engine=reduced masses=${masses:-uniform} ;;
        xpbdr*) engine=xpbdr masses=${masses:-exact} ;;
    esac
    echo "$1,$2,$3,$3,,$4,$5,,0.02,10,0.001,10,0.9,$6,$engine,$7,$masses,none,$8,\"a=1, b<2\",,$9,${10},${11},${12},0.1,0.1,0.5,0.001,0.1,${11},${12},${11},${12},${14:-5}"
}

make_results()
{
    local test seed n solver mu force
    mkdir -p "$1"
    {
        echo "$header"
        for test in 1 2 3 4 5 6 7; do
            for seed in 1 2; do
                run $test $seed 4 0.4 17 pbd-r f32 measured 64 "" 0.0$seed 0.$seed
                run $test $seed 4 0.4 17 xpbdr f64 measured 64 "" ${test}e-13 ${test}e-9
                run $test $seed "" 0.4 17 mujoco f64 measured 0 "" 0.1 1
            done
            run $test 1 4 0.4 17 pbd f32 diverged 64 1.25 "" ""
            run $test 1 "" 0.4 17 "mujoco:feet" f64 not_supported 0 "" "" ""
        done
    } | tee "$1/budget.csv" >"$1/tests.csv"
    {
        echo "test,solver,unit,kind,state,seeds,split,tumbled,diverged,total,rounding,packing,floor,contact,total_least,total_most"
        echo "1,pbd,m,signed,diverged,3,0,0,3,,,,,,,"
        echo "1,pbd-r,m,signed,split,3,3,0,0,0.02,0.003,0,0.002,0.015,0.019,0.021"
        echo "1,mujoco,m,signed,tumbled,3,0,3,0,2.5,,,,,2,3"
        echo "1,mujoco:tuned,m,signed,split,3,2,1,0,0.001,,0,0.002,-0.001,0.001,0.001"
        echo "3,xpbdr,m,signed,split,3,3,0,0,9e-13,,0,,9e-13,8e-13,1e-12"
        echo "7,pbd-r,m,norm,split,3,3,0,0,0.12,1e-6,0.006,,0.124,0.12,0.12"
        echo "7,pbd-r,deg,signed,split,3,3,0,0,-7.2,0,-0.2,,-7,-7.2,-7.2"
    } >"$1/budget_table.csv"
    {
        echo "test,solver,outcome,answer,figure_exact,figure_value,final_position_error_m,us_per_substep,problem"
        echo "9,xpbdr,measured,right,0.1962,0.1962,3e-14,0.7,"
        echo "9,xpbdr,measured,right,0.1962,0.1962,3e-14,0.7,"
        echo "9,ode,measured,wrong,0.1962,0.0002,0.196,9,"
        echo "9,ode,measured,right,0.1962,0.1942,0.002,9,"
        echo "15,pbd,not_supported,,,,,,\"not supported: restitution, <b>none</b>\""
        echo "15,xpbdr,measured,,0.262144,0.262145,1e-6,0.3,"
        echo "27,xpbdr,measured,right,,0.4726,,1400,"
    } >"$1/extended.csv"
    {
        echo "$header"
        for mu in 0.1 0.4; do
            for force in 5 40; do
                run 1 1 4 $mu $force pbd-r f32 measured 64 "" 0.01 0.1
                run 1 1 4 $mu $force xpbdr f64 measured 64 "" 3e-13 4e-14
                run 1 1 "" $mu $force mujoco f64 measured 0 "" 0.01 0.1
            done
        done
    } >"$1/sweep.csv"
    {
        echo "$header"
        for n in 4 10; do
            run 1 1 $n 0.4 17 pbd-r f32 measured $((n * n * n)) "" 0.01 0.1 "" $((n * 10))
        done
        for n in 4 10 100; do
            run 1 1 $n 0.4 17 pbd-r f64 measured $((n * n * n)) "" 0.01 0.1 "" $n
            run 1 1 $n 0.4 17 xpbdr f64 measured $((n * n * n)) "" 0.01 0.1 "" 0.$((n + 100))
        done
        run 1 1 "" 0.4 17 mujoco f64 measured 0 "" 0.01 0.1
    } >"$1/time.csv"
    {
        echo "$header"
        for n in 3 10; do
            run 7 1 $n 0.4 0 pbd-r f64 measured $((n * n * n)) "" 0.$n $n
            run 7 1 $n 0.4 0 xpbdr f64 measured $((n * n * n)) "" 0.0$n $n
        done
        run 7 1 "" 0.4 0 mujoco f64 measured 0 "" 0.2 5
    } | tee "$1/resolution-contact.csv" >"$1/trajectory.csv"
    {
        echo "$header"
        for n in 3 4; do
            run 2 1 $n 0 0 pbd-r f64 measured $((n * n * n)) "" 0 $n
            run 5 1 "" 0 0 pbd-r f64 measured $((n * 10)) "" 0 $n
            for test in 2 5; do
                particles=$([ $test -eq 2 ] && echo $((n * n * n)) || echo $((n * 10)))
                run $test 1 "" 0 0 pbd-r f64 measured $particles "" 0 0.11$n exact
                run $test 1 "" 0 0 xpbdr f64 measured $particles "" 0 ${n}e-11
            done
        done
    } >"$1/resolution-inertia.csv"
    {
        echo "test,solver,precision,masses,seed,n,particles,t_s,position_error_m,rotation_error_deg,x_m,y_m,theta_rad"
        for n in 3 4; do
            for t in 0 5 10; do
                echo "2,pbd-r,f64,uniform,1,$n,$((n * n * n)),$t,0,$t,0,0,0"
                echo "5,pbd-r,f64,uniform,1,,$((n * 10)),$t,0,$t,0,0,0"
                echo "2,pbd-r,f64,exact,1,$n,$((n * n * n)),$t,0,0.77,0,0,0"
                echo "2,xpbdr,f64,exact,1,$n,$((n * n * n)),$t,0,0.88,0,0,0"
            done
        done
    } >"$1/resolution-inertia_series.csv"
    {
        echo "test,solver,precision,masses,seed,n,particles,t_s,position_error_m,rotation_error_deg,x_m,y_m,theta_rad"
        for t in 0 2 3 4 10; do
            for n in 3 10; do
                echo "7,pbd-r,f64,uniform,1,$n,$((n * n * n)),$t,0,0,0.0$t,0,-0.1"
                echo "7,xpbdr,f64,exact,1,$n,$((n * n * n)),$t,0,0,0.0$t,0,-0.1"
            done
            echo "7,mujoco,f64,,1,,0,$t,0,0,0.0$t,0,-0.1"
        done
    } >"$1/trajectory_series.csv"
    {
        echo "reference,t_s,x_m,y_m,theta_rad"
        for t in 0 2 3 4 10; do
            echo "quasistatic_uniform,$t,0.0$t,0,-0.2"
            echo "dynamic_tilt_uniform,$t,0.0$t,0,-0.3"
        done
    } >"$1/trajectory_reference.csv"
    {
        echo "solver,ablate,quantity,seeds,t2,final,mean,ratio"
        echo "pbd-r,none,position_error_m,3,1e-4,2e-4,1e-4,1"
        echo "pbd-r,velocity,position_error_m,3,1e-3,1.25,0.5,5000"
        echo "pbd-r,angular,rotation_error_deg,3,0.1,1.5,0.4,90"
    } >"$1/ablation_table.csv"
    {
        echo "$header"
        run 1 1 4 0.4 17 pbd-r f32 measured 16 "" 0.01 0.2 | sed s/,none,/,angular,/
        run 1 2 4 0.4 17 pbd-r f32 measured 16 "" 0.01 5 | sed s/,none,/,angular,/
        run 1 3 4 0.4 17 pbd-r f32 measured 16 "" 0.01 7
    } >"$1/ablation.csv"
    {
        echo "$header"
        run 4 1 "" 0.4 10 mujoco f64 measured 0 "" 2 150
        run 4 1 "" 0.4 10 pbd-r f32 measured 2 "" 0.1 0.1
    } >"$1/stills.csv"
    {
        echo "solver,precision,seed,particles,t_s,x_m,y_m,z_m,qw,qx,qy,qz"
        for t in 0 1 2; do # MuJoCo's lies on its side at 2 s: 90 degrees about y
            q=$([ $t -eq 2 ] && echo "0.70710678,0,0.70710678,0" || echo "1,0,0,0")
            echo "mujoco,f64,1,0,$t,$t,0,0.07,$q"
            echo "pbd-r,f32,1,2,$t,$t,0,0.07,1,0,0,0"
        done
    } >"$1/stills_series.csv"
    printf '%s\n' kind,a,b,c,radius_m vertex,-0.1,0.1,-0.07, vertex,0.1,0.1,-0.07, vertex,0,-0.1,-0.07, vertex,0,0,0.13, triangle,0,1,2, triangle,0,3,1, \
        triangle,1,3,2, triangle,2,3,0, sphere,0,0,0,0.05 sphere,0,0,0.08,0.03 >"$1/stills_shape.csv"
}

# FILE: every tag is closed, in order. xmllint says more, where there is one.
is_well_formed()
{
    awk '{ text = text $0 "\n" }
        END {
            while (match(text, /<[^>]*>/)) {
                tag = substr(text, RSTART + 1, RLENGTH - 2); text = substr(text, RSTART + RLENGTH)
                name = tag; sub(/^\//, "", name); sub(/[ \/\n].*/, "", name)
                if (tag ~ /^[?!]/ || tag ~ /\/$/) continue
                if (tag !~ /^\//) stack[depth++] = name
                else if (depth == 0 || stack[--depth] != name) { print "<" tag ">"; exit 1 }
            }
            exit depth != 0 || text ~ /[<>]/
        }' "$1" && { ! command -v xmllint >/dev/null || xmllint --noout "$1"; }
}

# FOLDER: a gnuplot that draws nothing, so that pages are made in a moment and without the true one. It writes what the
# page needs of a figure: an SVG with a view box.
make_stand_in()
{
    mkdir -p "$1"
    cat >"$1/gnuplot" <<'STUB'
#!/bin/sh
case $2 in *svg*) end=svg ;; *) end=png ;; esac
echo '<svg viewBox="0 0 1 1"><g id="stand_in"/></svg>' >"${3%.gp}.$end"
STUB
    chmod +x "$1/gnuplot"
}
