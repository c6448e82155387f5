//! A game, neverball, on both chips beside llvmpipe. A machine without it skips the test.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::{CHIPS, on_chip, program};

/// Where Debian has games.
const GAME: &str = "/usr/games/neverball";

/// The frame that is compared: the menu over a level, with mipmapped textures, blending and point sprites.
const FRAME: &str = "100";

/// Of a channel: what filters may round otherwise.
const NEAR: u8 = 8;

/// One in so many pixels may be another one.
const FEW: usize = 500;

/// The game's settings. llvmpipe's anisotropic filter is a Gaussian one that blurs what is drawn in its own size; chips
/// take several samples along the longer side.
const SETTINGS: &str = "width 320\nheight 240\nfullscreen 0\naniso 0\n";

fn frame(mut command: Command, hook: &Path, home: &Path) -> (String, Vec<u8>) {
    let file = home.join("pixels");
    let others = command.get_envs().find_map(|(name, value)| value.filter(|_| name == "LD_PRELOAD"));
    let preloaded = [others.unwrap_or_default(), hook.as_os_str()].join(OsStr::new(" "));
    command.env("LD_PRELOAD", preloaded).env("HOME", home).env("GAME_FRAME", FRAME).env("GAME_FILE", &file);
    command.envs([("SDL_VIDEODRIVER", "offscreen"), ("SDL_AUDIODRIVER", "dummy"), ("XDG_RUNTIME_DIR", "/tmp")]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    (said.lines().last().unwrap_or_default().to_owned(), std::fs::read(file).unwrap())
}

#[test]
fn a_game_looks_as_on_llvmpipe() {
    if !Path::new(GAME).is_file() {
        println!("skipped: {GAME} is not there: Debian's package neverball");
        return;
    }
    let Some(hook) = program("game") else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".neverball")).unwrap();
    std::fs::write(folder.path().join(".neverball/neverballrc"), SETTINGS).unwrap();
    let mut software = Command::new(GAME);
    software.env("LIBGL_ALWAYS_SOFTWARE", "1").env("GALLIUM_DRIVER", "llvmpipe").env_remove("LD_PRELOAD");
    let (renderer, expected) = frame(software, &hook, folder.path());
    if !renderer.starts_with("llvmpipe") {
        println!("skipped: no llvmpipe, but {renderer}");
        return;
    }
    for chip in CHIPS {
        let (renderer, found) = frame(on_chip(GAME.as_ref(), chip, folder.path()), &hook, folder.path());
        assert!(renderer.starts_with("NV"), "{renderer}");
        assert_eq!(found.len(), expected.len());
        let far = |(a, b): &(&[u8; 4], &[u8; 4])| (0..3).any(|i| a[i].abs_diff(b[i]) > NEAR);
        let pairs = expected.as_chunks().0.iter().zip(found.as_chunks().0);
        let (different, all) = (pairs.clone().filter(far).count(), pairs.len());
        assert!(different <= all / FEW, "{chip}: {different} of {all} pixels are others");
    }
}
