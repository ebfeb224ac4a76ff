//! `punctual demo`: every promise holds, and every time in it was taken at a socket in this run.

use crate::term::Folder;

#[test]
fn the_tour_holds_every_promise_and_prints_its_times() {
    let ran = Folder::new().run(&["demo", "--tour-only", "--listen", "127.0.0.1:0"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    assert_eq!(ran.out.matches("  ✓ ").count(), 6, "{}", ran.out);
    assert!(!ran.out.contains('✗'));
    for n in 1..=6 {
        let scene = ran.out.split(&format!("\n{n}. ")).nth(1).unwrap();
        let scene = scene.split("\n\n").next().unwrap();
        let times: Vec<f64> = scene
            .lines()
            .filter_map(|l| l.trim_start().split_once(" ms ")?.0.parse().ok())
            .collect();
        assert!(times.len() >= 3 && times.is_sorted(), "{scene}");
        assert!(
            scene.contains("upstream") && scene.contains("caller"),
            "{scene}"
        );
    }
}

#[test]
fn an_address_that_is_taken_is_exit_code_3() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let ran = Folder::new().run(&["demo", "--tour-only", "--listen", &addr]);
    assert_eq!(ran.code, Some(3), "{}", ran.out);
    assert!(ran.err.contains(&format!("--listen {addr}")), "{}", ran.err);
}
