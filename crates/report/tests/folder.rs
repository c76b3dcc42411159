//! Output folders: in use, foreign, of another target, resumed, damaged.

use expect_test::expect;
use std::path::Path;
use symcrete_report::{Campaign, Contents, Folder, FolderError};

fn campaign(file: &str) -> Campaign {
    Campaign::new(file.into(), serde_json::json!({ "files": [file] }))
}

fn open(path: &Path, resume: bool) -> Result<Folder, FolderError> {
    Folder::open(path, campaign("a.c"), resume)
}

/// A campaign that began.
fn begun(path: &Path, resume: bool) -> Folder {
    let folder = open(path, resume).unwrap();
    folder.begin().unwrap();
    folder
}

fn message(path: &Path, error: FolderError) -> String {
    error.to_string().replace(&*path.to_string_lossy(), "OUT").replace(&std::process::id().to_string(), "PID")
}

#[test]
fn a_folder_of_others_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("thesis.tex"), "years of work").unwrap();
    let error = open(&path, false).unwrap_err();
    expect![[r#"
        OUT holds files that are not from symcrete
          choose another folder with `--out DIR`"#]]
    .assert_eq(&message(&path, error));
    assert!(matches!(open(&path, true), Err(FolderError::Foreign { .. })));
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 1, "nothing was added");
    let file = root.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(open(&file, false), Err(FolderError::NoFolder { .. })));
}

#[test]
fn a_folder_in_use_is_refused_until_it_is_free() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    let first = open(&path, false).unwrap();
    let error = open(&path, true).unwrap_err();
    expect![[r#"
        OUT is in use by another symcrete (process PID)
          wait for it, or choose another folder with `--out DIR`"#]]
    .assert_eq(&message(&path, error));
    drop(first);
    open(&path, true).unwrap();
}

#[test]
fn a_second_campaign_moves_the_first_aside() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    drop(begun(&path, false));
    std::fs::write(path.join("tests/000001.json"), "{}").unwrap();
    std::fs::write(path.join("summary.json"), "{}").unwrap();
    let second = open(&path, false).unwrap();
    assert!(path.join("summary.json").exists(), "nothing is moved before it begins");
    assert_eq!(second.begin().unwrap(), Some(path.join("previous")));
    assert!(path.join("previous/tests/000001.json").exists() && path.join("previous/summary.json").exists());
    assert!(!path.join("summary.json").exists() && !path.join("tests/000001.json").exists());
    drop(second);
    assert_eq!(open(&path, false).unwrap().begin().unwrap(), None, "nothing worth keeping");
}

#[test]
fn what_never_began_claims_nothing() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    std::fs::create_dir_all(path.join("build")).unwrap();
    assert!(matches!(open(&path, false), Err(FolderError::Foreign { .. })), "a build of somebody else");
    std::fs::remove_dir(path.join("build")).unwrap();
    drop(open(&path, false).unwrap());
    std::fs::create_dir(path.join("build")).unwrap();
    drop(Folder::open(&path, campaign("b.c"), false).unwrap());
    drop(begun(&path, false));
    assert!(matches!(Folder::open(&path, campaign("b.c"), false), Err(FolderError::OtherProgram { .. })));
}

#[test]
fn resuming_needs_the_same_target_and_keeps_everything() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    drop(begun(&path, false));
    std::fs::write(path.join("tests/000001.json"), r#"{"format":1,"inputs":[{"name":"stdin","kind":"stdin","hex":"41","text":"A"}],"origin":"random","new_sides":[],"end":{"exit":0},"seconds":0.1}"#).unwrap();
    std::fs::write(path.join("tests/000002.json"), "half a fi").unwrap();
    let error = Folder::open(&path, campaign("b.c"), true).unwrap_err();
    expect![[r#"
        OUT holds results of a.c, not of this target (different: files)
          `--resume` needs the same target, inputs and flags, from the same place; choose another folder with `--out DIR`"#]]
    .assert_eq(&message(&path, error));
    let folder = open(&path, true).unwrap();
    let contents = Contents::read(folder.path());
    assert_eq!(contents.tests.len(), 1);
    assert_eq!(contents.tests[0].1.objects().unwrap()[0].bytes, b"A");
    assert_eq!(contents.damaged.len(), 1, "{:?}", contents.damaged);
}

#[test]
fn resuming_from_elsewhere_says_where_it_began() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    let from = |folder: &str| Campaign::new("a.c".into(), serde_json::json!({ "folder": folder, "max_len": 4 }));
    Folder::open(&path, from("/first"), false).unwrap().begin().unwrap();
    let error = Folder::open(&path, from("/second"), true).unwrap_err();
    expect![[r#"
        OUT holds results of a.c, not of this target (different: folder, it was started in /first)
          `--resume` needs the same target, inputs and flags, from the same place; choose another folder with `--out DIR`"#]]
    .assert_eq(&message(&path, error));
}

#[test]
fn a_folder_that_is_not_ours_cannot_be_replayed() {
    let root = tempfile::tempdir().unwrap();
    let error = Campaign::read(root.path()).unwrap_err();
    expect!["OUT is no output folder of symcrete (there is no campaign.json in it)"]
        .assert_eq(&message(root.path(), error));
}

#[test]
fn a_folder_that_cannot_be_made() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("file"), "").unwrap();
    assert!(matches!(open(&root.path().join("file/out"), false), Err(FolderError::Io { .. })));
}

/// A reporter on a resumed folder keeps the numbers of what it finds again.
#[test]
fn what_is_found_again_keeps_its_number() {
    use std::rc::Rc;
    use std::time::Duration;
    use symcrete_event::{Bug, BugKind, End, Event, InputKind, InputObject, Origin, Reporter, Test};
    use symcrete_report::{Files, SideNames};
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    let object = |byte: u8| vec![InputObject { kind: InputKind::Stdin, name: "stdin".into(), bytes: vec![byte] }];
    let (a, b, c) = (object(b'a'), object(b'b'), object(b'c'));
    let test = |number, inputs| Test {
        number,
        inputs,
        origin: Origin::Random,
        new_sides: &[],
        end: End::Exit(0),
        seconds: 0.0,
    };
    let bug = |number, line, inputs| Bug {
        number,
        kind: BugKind::Crash,
        file: "a.c",
        line,
        function: "f",
        detail: "",
        stack: &[],
        under_constrained: false,
        test: test(0, inputs),
    };
    let say = |files: &mut Files, event: Event<'_>| files.event(Duration::ZERO, &event).unwrap();
    let files = |folder: &Folder| {
        Files::new(
            folder.path(),
            Path::new("/"),
            Rc::default(),
            Rc::new(SideNames::default()),
            &Contents::read(folder.path()),
        )
    };
    let first = begun(&path, false);
    let mut reporter = files(&first);
    say(&mut reporter, Event::Test(&test(1, &a)));
    say(&mut reporter, Event::Test(&test(2, &b)));
    say(&mut reporter, Event::Bug(&bug(1, 7, &b)));
    drop((reporter, first));
    let second = begun(&path, true);
    let mut reporter = files(&second);
    // The seeds come in another order, one bug is found again, and there are news.
    say(&mut reporter, Event::Test(&test(1, &b)));
    say(
        &mut reporter,
        Event::Test(&Test { origin: Origin::Flip { test: 1, side: None, optimistic: false }, ..test(2, &c) }),
    );
    say(&mut reporter, Event::Bug(&bug(1, 9, &c)));
    say(&mut reporter, Event::Bug(&bug(2, 7, &c)));
    say(&mut reporter, Event::Shortened(&bug(2, 7, &a)));
    let contents = Contents::read(&path);
    let tests: Vec<_> =
        contents.tests.iter().map(|(n, t)| (*n, t.inputs[0].text.as_str(), t.origin.as_str())).collect();
    assert_eq!(tests, [(1, "a", "random"), (2, "b", "random"), (3, "c", "flip of test 2")]);
    let bugs: Vec<_> = contents.bugs.iter().map(|(n, b)| (*n, b.line)).collect();
    assert_eq!(bugs, [(1, 7), (2, 9)]);
    assert_eq!(std::fs::read(path.join("bugs/0001-crash-a.c-7/test.bin")).unwrap(), b"a");
}
