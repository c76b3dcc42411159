//! Small dense systems. They have at most as many rows as a component of a chain has states, a few dozen: below the
//! size where a library for linear algebra begins to pay.

/// Solves `matrix · x = right` for two right sides at once, in place, by elimination with row pivots. The matrix is
/// square, by rows, and regular: one minus the transitions of a component that is left with certainty.
pub fn solve(matrix: &mut [f64], right: &mut [[f64; 2]]) {
    let size = right.len();
    for column in 0..size {
        let largest = |&a: &usize, &b: &usize| {
            matrix[a * size + column].abs().total_cmp(&matrix[b * size + column].abs()).then(b.cmp(&a))
        };
        let pivot = (column..size).max_by(largest).unwrap_or(column);
        if pivot != column {
            (0..size).for_each(|at| matrix.swap(pivot * size + at, column * size + at));
            right.swap(pivot, column);
        }
        for row in column + 1..size {
            let factor = matrix[row * size + column] / matrix[column * size + column];
            if factor == 0.0 {
                continue;
            }
            for at in column..size {
                matrix[row * size + at] -= factor * matrix[column * size + at];
            }
            for side in 0..2 {
                right[row][side] -= factor * right[column][side];
            }
        }
    }
    for row in (0..size).rev() {
        for side in 0..2 {
            let known: f64 = (row + 1..size).map(|at| matrix[row * size + at] * right[at][side]).sum();
            right[row][side] = (right[row][side] - known) / matrix[row * size + row];
        }
    }
}
