import { dirname } from 'node:path'
import type { Job } from './job.ts'
import { shellWord } from '#platform/shell-word.ts'
import type { JobVariables } from './variables.ts'

const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** What git is told by its environment: there, no list of processes shows the token, and no file keeps it. */
export function gitEnvironment({ git_info: { repo_url }, token }: Job): Record<string, string> {
  const { origin } = new URL(repo_url)
  const settings = [
    // What the account has stored is not for jobs.
    ['credential.helper', ''],
    [
      `credential.${origin}.helper`,
      '!f() { test "$1" = get && echo username=gitlab-ci-token && echo "password=$FORGELET_RUNNER_GIT_TOKEN"; }; f',
    ],
    ['gc.autoDetach', 'false'],
  ] as const
  return {
    FORGELET_RUNNER_GIT_TOKEN: token,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  }
}

const STRATEGIES = ['fetch', 'clone', 'none', 'empty'] as const
export type Strategy = (typeof STRATEGIES)[number]

/** How a job gets its files: as its variables say, otherwise as the project says. */
export function strategyOf({ allow_git_fetch }: Job, variables: JobVariables): Strategy {
  const wanted = variables.get('GIT_STRATEGY')
  return STRATEGIES.find((one) => one === wanted) ?? (allow_git_fetch === false ? 'clone' : 'fetch')
}

/** Says of a strategy that is none of these what is done instead. */
function warningOf(strategy: Strategy, wanted = ''): string[] {
  if (wanted === '' || wanted === strategy) return []
  const text = `GIT_STRATEGY is none of ${STRATEGIES.join(', ')}: ${strategy} is done`
  return [`printf '%s\\n' ${shellWord(text)}`]
}

/**
 * Makes the script that gets the commit of a job into a folder.
 * @throws for an id that is none
 */
export function sourcesScript(job: Job, folder: string, variables: JobVariables): string {
  const strategy = strategyOf(job, variables)
  const at = shellWord(folder)
  const warning = warningOf(strategy, variables.get('GIT_STRATEGY'))
  const start = ['exec 2>&1', 'set -eo pipefail', ...warning, `mkdir -p ${shellWord(dirname(folder))}`]
  if (strategy === 'none') return [...start, `mkdir -p ${at}`, ''].join('\n')
  const removed = strategy === 'fetch' ? [] : [`rm -rf ${at}`]
  const made = [...start, ...removed, `mkdir -p ${at}`, `cd ${at}`]
  if (strategy === 'empty') return [...made, ''].join('\n')
  return [...made, ...checkout(job, variables), ''].join('\n')
}

function checkout({ git_info }: Job, variables: JobVariables): string[] {
  const { repo_url, sha, ref, refspecs, depth } = git_info
  if (!OBJECT_ID.test(sha)) throw new Error('The id of the commit is none')
  const url = new URL(repo_url)
  url.username = ''
  url.password = ''
  const origin = shellWord(url.href)
  const specs = (refspecs ?? []).filter((spec) => !spec.startsWith('-')).map(shellWord)
  const shallow = depth !== undefined && depth !== null && depth > 0
  const fetch = [
    'git fetch --quiet --prune --force --no-recurse-submodules',
    shallow ? `--depth ${depth}` : '$(test -e .git/shallow && echo --unshallow || true)',
    'origin',
    ...specs,
  ].join(' ')
  const clean = variables.get('GIT_CLEAN_FLAGS') ?? '-ffdx'
  return [
    // What a job before this one has left behind: also settings, by which git would run commands for this job.
    'if test -L .git || ! test -d .git; then rm -rf .git; fi',
    'rm -rf .git/hooks .git/config .git/config.worktree .git/commondir; rm -f .git/index.lock .git/shallow.lock .git/HEAD.lock .git/config.lock',
    'git init --quiet .',
    "git for-each-ref --format='delete %(refname)' refs/pipelines | git update-ref --stdin",
    `git remote add origin ${origin} 2>/dev/null || git remote set-url origin ${origin}`,
    fetch,
    ...(variables.get('GIT_CHECKOUT') === 'false'
      ? []
      : [
          `git checkout --force --quiet --detach ${sha}`,
          `printf 'Checked out %s as %s\\n' ${shellWord(sha.slice(0, 8))} ${shellWord(ref)}`,
        ]),
    ...(clean === 'none'
      ? []
      : [`git clean ${clean.split(/\s+/).filter(Boolean).map(shellWord).join(' ')} >/dev/null`]),
    ...submodules(variables.get('GIT_SUBMODULE_STRATEGY'), variables.get('GIT_SUBMODULE_DEPTH')),
    'if git lfs version >/dev/null 2>&1 && test "${GIT_LFS_SKIP_SMUDGE:-0}" != 1; then git lfs pull origin; fi',
  ]
}

function submodules(strategy: string | undefined, depth: string | undefined): string[] {
  if (strategy !== 'normal' && strategy !== 'recursive') return []
  const recursive = strategy === 'recursive' ? ' --recursive' : ''
  const shallow = depth !== undefined && /^\d{1,9}$/.test(depth) && depth !== '0' ? ` --depth ${depth}` : ''
  return [
    `git submodule sync --quiet${recursive}`,
    `git submodule update --init --force --quiet${recursive}${shallow}`,
  ]
}
