//! In which functions rewards have changed, and by how much they can have risen: a pass over the program computes each
//! location once, so what any of them rose by in a pass is at most the most that one did.

/// Functions by the number of their entry.
#[derive(Default)]
pub(crate) struct Changes {
    /// Whether a function is in `list`, and what was added to its rise before this pass.
    changed: Vec<bool>,
    list: Vec<u32>,
    risen: Vec<f64>,
    /// The largest rise of this pass, and the functions with one.
    rising: Vec<f64>,
    in_pass: Vec<u32>,
}

impl Changes {
    pub fn new(count: usize) -> Changes {
        let (risen, rising) = (vec![0.0; count], vec![0.0; count]);
        Changes { changed: vec![false; count], list: vec![], risen, rising, in_pass: vec![] }
    }

    /// A reward in the function changed by so much in this pass.
    pub fn note(&mut self, home: u32, change: f64) {
        if !std::mem::replace(&mut self.changed[home as usize], true) {
            self.list.push(home);
        }
        if change > 0.0 {
            let rising = &mut self.rising[home as usize];
            if *rising == 0.0 {
                self.in_pass.push(home);
            }
            *rising = rising.max(change);
        }
    }

    /// Whether anything in the function changed since the last time.
    pub fn is_changed(&self, home: u32) -> bool {
        self.changed[home as usize]
    }

    /// Something that comes on top of other changes rose by so much.
    pub fn add(&mut self, home: u32, change: f64) {
        self.note(home, 0.0);
        self.risen[home as usize] += change;
    }

    /// A pass is over.
    pub fn fold(&mut self) {
        for home in self.in_pass.drain(..) {
            self.risen[home as usize] += std::mem::take(&mut self.rising[home as usize]);
        }
    }

    /// Functions with changes since the last time, and how much more a way through them may earn.
    pub fn take(&mut self) -> Vec<(u32, f64)> {
        self.fold();
        let taken = |home: u32| {
            self.changed[home as usize] = false;
            (home, std::mem::take(&mut self.risen[home as usize]))
        };
        std::mem::take(&mut self.list).into_iter().map(taken).collect()
    }
}
