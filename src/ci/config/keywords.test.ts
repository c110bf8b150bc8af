import { expect, test } from 'vitest'
import { choose, errorsOf, type Given, namesOf, read } from './test-support.ts'

const job = (rest: string): string => `a: {script: x, ${rest}}\n`
const other = 'b: {script: y}\n'

/** Keyword, a file with it, and the jobs that a pipeline then has. */
const chosen: [keyword: string, text: string, given: Given, names: string[]][] = [
  ['rules:if ==', job(`rules: [{if: '$X == "1"'}]`) + other, { variables: { X: '1' } }, ['a', 'b']],
  ['rules:if == without blanks', job(`rules: [{if: '$X=="1"'}]`) + other, {}, ['b']],
  ['rules:if !=', job(`rules: [{if: '$X != "1"'}]`), {}, ['a']],
  ['rules:if && before ||', job(`rules: [{if: '$A && $B || $C'}]`), { variables: { C: 'c' } }, ['a']],
  [
    'rules:if parentheses',
    job(`rules: [{if: '$A && ($B || $C)'}]`) + other,
    { variables: { C: 'c' } },
    ['b'],
  ],
  ['rules:if a variable alone', job(`rules: [{if: '$A'}]`) + other, { variables: { A: '' } }, ['b']],
  ['rules:if null', job(`rules: [{if: '$A == null'}]`), {}, ['a']],
  ['rules:if two variables', job(`rules: [{if: '$A == $B'}]`), { variables: { A: '1', B: '1' } }, ['a']],
  ['rules:if =~', job(`rules: [{if: '$X =~ /^v\\d+\\/x$/'}]`), { variables: { X: 'v12/x' } }, ['a']],
  ['rules:if =~ with a flag', job(`rules: [{if: '$X =~ /^V1/i'}]`), { variables: { X: 'v12' } }, ['a']],
  ['rules:if !~', job(`rules: [{if: '$X !~ /^v/'}]`) + other, { variables: { X: 'v12' } }, ['b']],
  ['rules:if =~ a variable', job(`rules: [{if: '$X =~ $P'}]`), { variables: { X: 'ab', P: '/^a/' } }, ['a']],
  ['rules:when never', job(`rules: [{when: never}]`) + other, {}, ['b']],
  ['rules:exists', job(`rules: [{exists: ['**/*.go']}]`), { existing: ['x/y/main.go'] }, ['a']],
  ['rules:exists, missing', job(`rules: [{exists: [Dockerfile]}]`) + other, { existing: ['x'] }, ['b']],
  ['rules:changes', job(`rules: [{changes: ['src/**/*']}]`), { changed: ['src/a/b'] }, ['a']],
  [
    'rules:changes:paths',
    job(`rules: [{changes: {paths: ['*.md']}}]`) + other,
    { changed: ['a/b.md'] },
    ['b'],
  ],
  ['rules:changes without a comparison', job(`rules: [{changes: [x]}]`), {}, ['a']],
  ['rules: null beside only', job(`rules: null, only: [main]`), {}, ['a']],
  ['only with a name', job(`only: [main]`) + other, { ref: 'x' }, ['b']],
  ['only with a pattern', job(`only: [/^v/]`), { ref: 'v1', isTag: true }, ['a']],
  ['only with a word', job(`only: [tags]`) + other, {}, ['b']],
  ['only branch@path', job(`only: [main@group/project]`), {}, ['a']],
  ['only:refs and variables', job(`only: {refs: [main], variables: [$X]}`) + other, {}, ['b']],
  ['only:changes', job(`only: {changes: [x]}`) + other, { changed: ['y'] }, ['b']],
  ['only: merge_requests', job(`only: [merge_requests]`), { source: 'merge_request_event' }, ['a']],
  ['except', job(`except: [main]`) + other, {}, ['b']],
  ['except:variables', job(`except: {variables: ['$X == "1"']}`) + other, { variables: { X: '1' } }, ['b']],
  [
    'nothing, in a merge request',
    other + job('only: [merge_requests]'),
    { source: 'merge_request_event' },
    ['a'],
  ],
  [
    'workflow:rules let all jobs into merge requests',
    `workflow: {rules: [{when: always}]}\n${other}`,
    { source: 'merge_request_event' },
    ['b'],
  ],
  ['hidden keys', `.a: text\n.b: [1]\n${other}`, {}, ['b']],
  ['pages', 'pages: {script: x}', {}, ['pages']],
  ['parallel', job('parallel: 3'), {}, ['a 1/3', 'a 2/3', 'a 3/3']],
  [
    'parallel:matrix',
    job('parallel: {matrix: [{K: 1, L: [x, y]}, {M: z}]}'),
    {},
    ['a: [1, x]', 'a: [1, y]', 'a: [z]'],
  ],
  ['include:local', `include: /x.yml`, { files: { 'x.yml': other } }, ['b']],
  [
    'include:remote',
    `include: https://example.com/x.yml`,
    { files: { 'https://example.com/x.yml': other } },
    ['b'],
  ],
  [
    'include:project',
    `include: {project: g/p, ref: v1, file: [x.yml, y.yml]}`,
    { files: { 'g/p:x.yml': other, 'g/p:y.yml': job('when: manual') } },
    ['b', 'a'],
  ],
  ['include:rules', `include: [{local: x.yml, rules: [{if: $X}]}]\n${other}`, {}, ['b']],
  [
    'include:inputs',
    'include: [{local: x.yml, inputs: {n: 2}}]',
    { files: { 'x.yml': 'spec: {inputs: {n: {type: number}}}\n---\n"b$[[ inputs.n ]]": {script: y}' } },
    ['b2'],
  ],
]

test.each(chosen)('%s decides which jobs there are', async (_, text, given, names) => {
  await expect(namesOf(text, given)).resolves.toEqual(names)
})

/** Keyword, a file with it, and what the first job then has. */
const first: [keyword: string, text: string, given: Given, expected: object][] = [
  ['when: manual', job('when: manual'), {}, { when: 'manual', allowFailure: true }],
  ['rules:when manual', job('rules: [{when: manual}]'), {}, { when: 'manual', allowFailure: false }],
  [
    'when beside rules',
    job('when: manual, rules: [{if: "$CI_JOB_NAME"}]'),
    {},
    { when: 'manual', allowFailure: true },
  ],
  [
    'when: delayed',
    job('when: delayed, start_in: 1 hour 30 minutes'),
    {},
    { when: 'delayed', startIn: 5400 },
  ],
  [
    'allow_failure:exit_codes',
    job('allow_failure: {exit_codes: [1, 2]}'),
    {},
    { allowFailure: { exitCodes: [1, 2] } },
  ],
  ['rules:allow_failure', job('rules: [{allow_failure: true}]'), {}, { allowFailure: true }],
  ['rules:interruptible', job('rules: [{when: always, interruptible: true}]'), {}, { interruptible: true }],
  [
    'script as nested lists',
    '.x: &x [b, c]\na: {script: [a, *x]}',
    {},
    { options: { script: ['a', 'b', 'c'] } },
  ],
  ['script as one string', job('tags: [t]'), {}, { options: { script: ['x'] }, tags: ['t'] }],
  [
    'before_script: []',
    `before_script: [y]\n${job('before_script: []')}`,
    {},
    { options: { before_script: [] } },
  ],
  ['default', `default: {image: i}\n${job('')}`, {}, { options: { image: 'i' } }],
  [
    'inherit:default',
    `default: {image: i}\n${job('inherit: {default: false}')}`,
    {},
    { options: { script: ['x'] } },
  ],
  [
    'extends',
    `.d: {image: i, variables: {A: 1}}\n${job('extends: .d, variables: {B: 2}')}`,
    {},
    {
      variables: [
        { key: 'A', value: '1', raw: false },
        { key: 'B', value: '2', raw: false },
      ],
    },
  ],
  [
    'variables:expand',
    `variables: {A: {value: $B, expand: false}}\n${job('')}`,
    {},
    { variables: [{ key: 'A', value: '$B', raw: true }] },
  ],
  [
    'rules:variables',
    job('variables: {A: x}, rules: [{variables: {A: y}}]'),
    {},
    { variables: [{ key: 'A', value: 'y', raw: false }] },
  ],
  [
    'inherit:variables',
    `variables: {A: x, B: y}\n${job('inherit: {variables: [B]}')}`,
    {},
    { variables: [{ key: 'B', value: 'y', raw: false }] },
  ],
  [
    'environment with variables',
    `variables: {X: x.example}\n${job(
      'environment: {name: review/$CI_COMMIT_REF_NAME, url: "https://$X/$CI_ENVIRONMENT_SLUG"}',
    )}`,
    {},
    {
      environment: {
        name: 'review/main',
        action: 'start',
        url: 'https://x.example/${CI_ENVIRONMENT_SLUG}',
      },
    },
  ],
  [
    'trigger',
    'a: {trigger: {project: g/p, branch: x, strategy: depend}}',
    {},
    {
      trigger: {
        project: 'g/p',
        branch: 'x',
        strategy: 'depend',
        forwardYamlVariables: true,
        forwardPipelineVariables: false,
      },
    },
  ],
  [
    'trigger:include',
    'a: {trigger: {include: x.yml}}',
    {},
    {
      trigger: { include: [{ local: 'x.yml' }], forwardYamlVariables: true, forwardPipelineVariables: false },
    },
  ],
  ['.pre and .post', `z: {script: x, stage: .pre}\nb: {script: y}`, {}, { stage: '.pre', stageIndex: 0 }],
  [
    'kept variables beat the file in rules',
    job(`variables: {X: f}, rules: [{if: '$X == "k"'}]`),
    { kept: { X: 'k' } },
    { name: 'a' },
  ],
  [
    'coverage, timeout, retry',
    job(`coverage: '/\\d+%/', timeout: 1h, retry: {max: 2, when: always}`),
    {},
    {
      coverage: '/\\d+%/',
      timeout: 3600,
      options: { script: ['x'], retry: { max: 2, when: 'always' } },
    },
  ],
]

test.each(first.filter(([, , , expected]) => !('options' in expected && expected.options === undefined)))(
  '%s says how a job runs',
  async (_, text, given, expected) => {
    const [one] = (await choose(text, given)).jobs
    expect(one).toMatchObject(expected)
  },
)

test('a reference to a list within a list is written out', async () => {
  const text = `.d: {script: [p, !reference [.e, script]]}\n.e: {script: [z]}\na: {script: [!reference [.d, script], y]}`
  const [one] = (await choose(text)).jobs
  expect(one?.options).toEqual({ script: ['p', 'z', 'y'] })
})

/** What is wrong, a file with it, and what is said. */
const wrong: [what: string, text: string, said: string | RegExp][] = [
  ['nothing', ' ', 'Please provide content of .gitlab-ci.yml'],
  ['a list', '- a', 'Invalid configuration format'],
  ['no job', 'stages: [a]', 'jobs config should contain at least one visible job'],
  ['no script', 'a: {stage: test}', 'jobs:a config should implement the script:, run:, or trigger: keyword'],
  ['a null hidden key', `.a:\n${other}`, "jobs:.a config can't be blank"],
  ['an unknown key', job('foo: 1'), 'jobs:a config contains unknown keys: foo'],
  [
    'an unknown key of artifacts',
    job('artifacts: {foo: 1}'),
    'jobs:a:artifacts config contains unknown keys: foo',
  ],
  [
    'an undeclared stage',
    job('stage: x'),
    'a job: chosen stage x does not exist; available stages are .pre, build, test, deploy, .post',
  ],
  ['a need of nothing', job('needs: [z]'), 'a job: undefined need: z'],
  [
    'a need of a later stage',
    job('needs: [b]') + 'b: {script: y, stage: deploy}',
    'a job: need b is not defined in current or prior stages',
  ],
  [
    'a circle of needs',
    job('needs: [b]') + 'b: {script: y, needs: [a]}',
    /^The pipeline has circular dependencies/,
  ],
  ['a need of itself', job('needs: [a]'), 'The pipeline has circular dependencies: self-dependency: a'],
  ['an unknown base', job('extends: .x'), 'a: unknown keys in `extends` (.x)'],
  ['a circle of bases', job('extends: a'), 'a: circular dependency detected in `extends`'],
  [
    'an expression that is none',
    job(`rules: [{if: '$X =='}]`),
    'jobs:a:rules:rule if invalid expression syntax',
  ],
  [
    'rules beside only',
    job('rules: [{when: always}], only: [x]'),
    'jobs:a config key may not be used with `rules`: only',
  ],
  [
    'a missing reference',
    'a: {script: [!reference [.x, script]]}',
    '!reference [".x", "script"] could not be found',
  ],
  [
    'a circle of references',
    '.x: {script: [!reference [.x, script]]}\n' + other,
    '!reference [".x", "script"] is part of a circular chain',
  ],
  ['a date', 'variables: {A: 2020-01-02}\n' + other, /Tried to load unspecified class: Date at line 1/],
  ['an unknown alias', 'a: *x', /Unknown alias: x at line 1/],
  ['too large a matrix', job('parallel: 201'), 'jobs:a:parallel must be less than or equal to 200'],
  ['a component', 'include: {component: x/y@1}\n' + other, /`include:component` is not supported/],
  ['a missing file', 'include: x.yml\n' + other, 'Local file `x.yml` does not exist!'],
  [
    'a missing input',
    'spec: {inputs: {n: }}\n---\n' + other,
    '`.gitlab-ci.yml`: `n` input: required value has not been provided',
  ],
  ['a delay without a time', job('when: delayed'), 'jobs:a start in should be a duration'],
  ['a stop that is no job', job('environment: {name: x, on_stop: z}'), 'a job: on_stop job z is not defined'],
]

test.each(wrong)('%s is an error', async (_, text, said) => {
  const [one] = errorsOf(await read(text))
  if (typeof said === 'string') expect(one).toBe(said)
  else expect(one).toMatch(said)
})

test('errors and warnings know their lines', async () => {
  const { errors, warnings } = await read('a:\n  script: x\n  foo: 1\n  id_tokens: {T: {aud: x}}\n')
  expect(errors).toEqual([
    { text: 'jobs:a config contains unknown keys: foo', file: '.gitlab-ci.yml', line: 3 },
  ])
  expect(warnings).toMatchObject([{ file: '.gitlab-ci.yml', line: 4 }])
})

test('a need of a job that rules left out is an error unless it is optional', async () => {
  const text = (need: string): string => `${job(`rules: [{when: never}]`)}b: {script: y, needs: [${need}]}`
  const refused = await choose(text('a'))
  expect(refused.errors).toEqual([expect.stringMatching(/^'b' job needs 'a' job, but 'a' does not exist/)])
  const { errors, jobs } = await choose(text('{job: a, optional: true}'))
  expect([errors, jobs[0]?.needs]).toEqual([[], []])
})

test('needs of a matrix are all of its jobs or those that are named', async () => {
  const matrix = job('parallel: {matrix: [{K: [x, y]}]}')
  const all = await choose(`${matrix}b: {script: y, needs: [a]}`)
  expect(all.jobs.at(-1)?.needs?.map((need) => need.job)).toEqual(['a: [x]', 'a: [y]'])
  const one = await choose(`${matrix}b: {script: y, needs: [{job: a, parallel: {matrix: [{K: y}]}}]}`)
  expect(one.jobs.at(-1)?.needs?.map((need) => need.job)).toEqual(['a: [y]'])
})

test('a workflow without a matching rule prevents the pipeline, and others name it', async () => {
  const text = `workflow: {name: "at $X $Y", rules: [{if: $X, variables: {Y: y}}], auto_cancel: {on_job_failure: all}}\n${other}`
  const none = await choose(text)
  expect(none).toMatchObject({ filtered: true, errors: ['Pipeline filtered out by workflow rules.'] })
  const some = await choose(text, { variables: { X: 'x' } })
  expect(some).toMatchObject({ name: 'at x y', autoCancel: { onJobFailure: 'all' } })
})
