//! A runner on the crate `gitlab-runner`: it clones the project, and runs the script of each job with bash.
//! Call: script-runner URL TOKEN FOLDER
use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use async_trait::async_trait;
use futures::AsyncRead;
use futures::io::Cursor;
use gitlab_runner::job::Job;
use gitlab_runner::{GitlabLayer, JobHandler, JobResult, Phase, RunnerBuilder, UploadableFile, outputln};
use tokio::process::Command;
use tracing_subscriber::prelude::*;
use url::Url;

/// Jobs that run at once.
const MOST: usize = 8;

struct Script {
    job: Job,
    folder: PathBuf,
}

impl Script {
    fn value(&self, key: &str) -> String {
        self.job
            .variable(key)
            .map(|variable| variable.value().to_owned())
            .unwrap_or_default()
    }

    /// Runs a command, and shows what it writes.
    async fn run(&self, program: &str, args: &[&str], folder: &Path) -> JobResult {
        let output = Command::new(program)
            .args(args)
            .current_dir(folder)
            .envs(self.job.variables().map(|one| (one.key().to_owned(), one.value().to_owned())))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output()
            .await
            .map_err(|_| ())?;
        for line in String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).lines() {
            outputln!("{line}");
        }
        if output.status.success() { Ok(()) } else { Err(()) }
    }

    async fn prepare(&self) -> JobResult {
        if self.folder.exists() {
            return Ok(());
        }
        let target = self.folder.to_string_lossy().into_owned();
        let url = self.value("CI_REPOSITORY_URL");
        self.run("git", &["clone", "--quiet", &url, &target], Path::new("/")).await?;
        let commit = self.value("CI_COMMIT_SHA");
        self.run("git", &["checkout", "--quiet", &commit], &self.folder).await?;
        for dependency in self.job.dependencies() {
            let Some(mut archive) = dependency.download().await.map_err(|_| ())? else {
                continue;
            };
            for index in 0..archive.len() {
                let mut file = archive.by_index(index).ok_or(())?;
                let Some(path) = file.path() else { continue };
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).map_err(|_| ())?;
                let place = self.folder.join(path);
                std::fs::create_dir_all(place.parent().ok_or(())?).map_err(|_| ())?;
                std::fs::write(place, bytes).map_err(|_| ())?;
            }
        }
        Ok(())
    }
}

/// A file of the clone. The crate chooses those that the job names.
struct Produced {
    folder: PathBuf,
    path: String,
}

#[async_trait]
impl UploadableFile for Produced {
    type Data<'a> = Box<dyn AsyncRead + Send + Unpin>;

    fn get_path(&self) -> Cow<'_, str> {
        self.path.as_str().into()
    }

    async fn get_data(&self) -> Result<Self::Data<'_>, ()> {
        let bytes = std::fs::read(self.folder.join(&self.path)).map_err(|_| ())?;
        Ok(Box::new(Cursor::new(bytes)))
    }
}

#[async_trait]
impl JobHandler<Produced> for Script {
    async fn step(&mut self, script: &[String], _phase: Phase) -> JobResult {
        self.prepare().await?;
        self.run("bash", &["-ec", &script.join("\n")], &self.folder).await
    }

    async fn get_uploadable_files(&mut self) -> Result<Box<dyn Iterator<Item = Produced> + Send>, ()> {
        let mut paths = Vec::new();
        files_below(&self.folder, &self.folder, &mut paths).map_err(|_| ())?;
        let folder = self.folder.clone();
        Ok(Box::new(paths.into_iter().map(move |path| Produced { folder: folder.clone(), path })))
    }

    async fn cleanup(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn files_below(root: &Path, folder: &Path, paths: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            if entry.file_name() != ".git" {
                files_below(root, &entry.path(), paths)?;
            }
        } else if let Ok(path) = entry.path().strip_prefix(root) {
            paths.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [url, token, folder] = args.as_slice() else {
        panic!("usage: script-runner URL TOKEN FOLDER");
    };
    let (layer, jobs) = GitlabLayer::new();
    tracing_subscriber::Registry::default().with(layer).init();
    let mut runner = RunnerBuilder::new(Url::parse(url).expect("a URL"), token.as_str(), folder, jobs)
        .version("1.0.0")
        .build()
        .await;
    let ended = runner
        .run(
            |job| async move {
                let folder = job.build_dir().join("clone");
                Ok(Script { job, folder })
            },
            MOST,
        )
        .await;
    if let Err(error) = ended {
        panic!("no more jobs can be asked for: {error}");
    }
}
