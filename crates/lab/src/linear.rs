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
            let above = right[column];
            for (one, above) in right[row].iter_mut().zip(above) {
                *one -= factor * above;
            }
        }
    }
    for row in (0..size).rev() {
        let (rest, known) = right.split_at_mut(row + 1);
        for (side, one) in rest[row].iter_mut().enumerate() {
            let known = known.iter().enumerate().map(|(at, known)| matrix[row * size + row + 1 + at] * known[side]);
            *one = (*one - known.sum::<f64>()) / matrix[row * size + row];
        }
    }
}
