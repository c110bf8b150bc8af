import { COVERAGE_FORMATS, REPORTS } from './reports.ts'
import {
  anything,
  bool,
  byKind,
  duration,
  each,
  expiry,
  type Form,
  hash,
  hashOfTexts,
  lists,
  nestedTexts,
  oneOf,
  scalar,
  text,
  textOrTexts,
  texts,
  within,
} from './forms.ts'

const pull = byKind({ text: anything, list: texts }, 'should be a string or an array of strings')
const dockerLike = hash({ platform: text, user: scalar })
const kubernetes = hash({ user: byKind({ text, other: anything }, 'should be a string or integer') })

const image = byKind(
  {
    text,
    hash: hash(
      {
        name: text,
        entrypoint: lists,
        pull_policy: pull,
        docker: dockerLike,
        kubernetes,
        ports: anything,
      },
      ['name'],
    ),
  },
  'should be a hash or a string',
)

const service = byKind(
  {
    text,
    hash: hash(
      {
        name: text,
        alias: text,
        entrypoint: lists,
        command: lists,
        pull_policy: pull,
        docker: dockerLike,
        kubernetes,
        variables: hashOfTexts,
        ports: anything,
      },
      ['name'],
    ),
  },
  'should be a hash or a string',
)

const cache = hash({
  key: byKind(
    { text, hash: hash({ files: texts, files_commits: texts, prefix: text }), other: scalar },
    'should be a hash, a string or a symbol',
  ),
  paths: lists,
  untracked: bool,
  unprotect: bool,
  policy: text,
  when: oneOf('on_success', 'on_failure', 'always'),
  fallback_keys: texts,
})

/** Reports that jobs may have, each a path or paths. */
const artifacts = hash({
  paths: lists,
  exclude: lists,
  expire_in: expiry,
  expose_as: text,
  name: scalar,
  public: bool,
  access: oneOf('none', 'developer', 'maintainer', 'all'),
  untracked: bool,
  when: oneOf('on_success', 'on_failure', 'always'),
  reports: hash({
    ...Object.fromEntries(REPORTS.map((name): [string, Form] => [name, textOrTexts])),
    coverage_report: hash({ coverage_format: oneOf(...COVERAGE_FORMATS), path: text }, [
      'coverage_format',
      'path',
    ]),
  }),
})

const RETRIED = [
  'always',
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'runner_unsupported',
  'runner_provisioning_failure',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'missing_dependency_failure',
]
const retryWhen = byKind(
  { text: oneOf(...RETRIED), list: each(oneOf(...RETRIED)) },
  'should be a string or an array',
)
const exitCodes = byKind(
  { list: each(within(0, 255)), other: within(0, 255) },
  'should be an integer or an array',
)

/** Keywords that only what runs the job acts on: their form is checked, and they are passed through whole. */
export const runnerForms: Readonly<Record<string, Form>> = {
  script: nestedTexts,
  before_script: nestedTexts,
  after_script: nestedTexts,
  run: anything,
  image,
  services: each(service),
  cache: byKind({ hash: cache, list: each(cache) }, 'should be a hash or an array of hashes'),
  artifacts,
  hooks: hash({ pre_get_sources_script: nestedTexts }),
  retry: byKind(
    { other: within(0, 2), hash: hash({ max: within(0, 2), when: retryWhen, exit_codes: exitCodes }) },
    'should be a hash or an integer',
  ),
  timeout: duration,
  tags: lists,
  release: hash(
    {
      tag_name: text,
      tag_message: text,
      name: text,
      description: text,
      ref: text,
      milestones: textOrTexts,
      released_at: text,
      assets: anything,
    },
    ['tag_name', 'description'],
  ),
  pages: byKind(
    {
      other: bool,
      hash: hash({ path_prefix: text, expire_in: expiry, publish: text }),
    },
    'should be a hash or a boolean value',
  ),
  publish: text,
  identity: oneOf('google_cloud'),
  manual_confirmation: text,
  inputs: anything,
  dast_configuration: anything,
  secrets: anything,
}

const audience = byKind({ text, list: texts }, 'should be a string or an array of strings')

/** Identity tokens of a job, by the names of their variables. */
export const idTokens: Form = (value, path, say) => {
  byKind({ hash: anything }, 'should be a hash')(value, path, say)
  if (!(value instanceof Map)) return
  for (const [name, token] of value) hash({ aud: audience }, ['aud'])(token, `${path}:${String(name)}`, say)
}
