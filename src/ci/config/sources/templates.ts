import type { IncludeAnswer } from '../includes.ts'

const workflow = (rules: string): string => `workflow:\n  rules:\n${rules}`

/** Templates of our own, by the names that GitLab has for the like. */
const templates: Readonly<Record<string, string>> = {
  'Workflows/Branch-Pipelines.gitlab-ci.yml': workflow(
    '    - if: $CI_COMMIT_TAG\n    - if: $CI_COMMIT_BRANCH\n',
  ),
  'Workflows/MergeRequest-Pipelines.gitlab-ci.yml': workflow(
    [
      '    - if: $CI_MERGE_REQUEST_IID',
      '    - if: $CI_COMMIT_TAG',
      '    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH',
      '',
    ].join('\n'),
  ),
  'Bash.gitlab-ci.yml': [
    'before_script:',
    '  - echo "Before script section"',
    'build1:',
    '  stage: build',
    '  script: [echo "Do your build here"]',
    'test1:',
    '  stage: test',
    '  script: [echo "Do a test here"]',
    'deploy1:',
    '  stage: deploy',
    '  script: [echo "Do your deploy here"]',
    '  environment: production',
    '',
  ].join('\n'),
  'Nodejs.gitlab-ci.yml': [
    'image: node:latest',
    'cache:',
    '  key: { files: [package-lock.json] }',
    '  paths: [.npm/]',
    'test:',
    '  stage: test',
    '  script: [npm ci --cache .npm, npm test]',
    '',
  ].join('\n'),
}

/** A template by its name, with or without `.gitlab-ci.yml`. */
export function templateNamed(name: string): IncludeAnswer {
  const full = name.endsWith('.gitlab-ci.yml') ? name : `${name}.gitlab-ci.yml`
  const text = Object.hasOwn(templates, full) ? templates[full] : undefined
  if (text === undefined) {
    const known = Object.keys(templates).join(', ')
    return { error: `Template file \`${name}\` does not exist! There are: ${known}` }
  }
  const shown = {
    type: 'template',
    location: full,
    blob: null,
    raw: null,
    extra: {},
    contextProject: null,
    contextSha: null,
  } as const
  return { files: [{ text, tree: '', shown }] }
}
