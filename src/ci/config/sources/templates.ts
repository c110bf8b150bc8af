import type { IncludeAnswer } from '../includes.ts'
import { NOBODYS } from './trees.ts'

/** Configurations that `include:template` names. */
const templates: Readonly<Record<string, string>> = {
  Bash: `
# Three stages of shell commands, to start from.
stages: [build, test, deploy]

build:
  stage: build
  script:
    - echo "Build the project here"

test:
  stage: test
  script:
    - echo "Test it here"

deploy:
  stage: deploy
  script:
    - echo "Deploy it here"
  environment: production
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
  Nodejs: `
# Installs the packages of the lock file and runs the tests.
image: node:lts

cache:
  key:
    files: [package-lock.json]
  paths: [.npm/]

test:
  stage: test
  script:
    - npm ci --cache .npm --prefer-offline
    - npm test
`,
  Python: `
# Installs the project in an environment of its own and runs its tests.
image: python:latest

variables:
  PIP_CACHE_DIR: $CI_PROJECT_DIR/.cache/pip

cache:
  paths: [.cache/pip/]

test:
  stage: test
  script:
    - python -m venv .venv
    - . .venv/bin/activate
    - pip install pytest .
    - python -m pytest
`,
  Docker: `
# Builds an image of the Dockerfile in the root, and pushes it to the registry of the variables.
docker-build:
  stage: build
  image: docker:cli
  services: [docker:dind]
  variables:
    IMAGE: $CI_REGISTRY_IMAGE:$CI_COMMIT_REF_SLUG
  before_script:
    - echo "$CI_REGISTRY_PASSWORD" | docker login -u "$CI_REGISTRY_USER" --password-stdin "$CI_REGISTRY"
  script:
    - docker build --pull -t "$IMAGE" .
    - docker push "$IMAGE"
  rules:
    - if: $CI_COMMIT_BRANCH
      exists: [Dockerfile]
`,
  'Workflows/Branch-Pipelines': `
# Pipelines for branches and tags, and none for merge requests.
workflow:
  rules:
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH
`,
  'Workflows/MergeRequest-Pipelines': `
# Pipelines for merge requests, tags and the default branch, so that no push runs two.
workflow:
  rules:
    - if: $CI_MERGE_REQUEST_IID
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
}

const SUFFIX = '.gitlab-ci.yml'

/** A template by its name, such as `Bash.gitlab-ci.yml`. */
export function templateNamed(name: string): IncludeAnswer {
  if (!name.endsWith(SUFFIX)) return { error: `Template file \`${name}\` is not a valid location!` }
  const key = name.slice(0, -SUFFIX.length)
  const text = Object.hasOwn(templates, key) ? templates[key] : undefined
  if (text === undefined) return { error: `Included file \`${name}\` is empty or does not exist!` }
  const nowhere = { blob: null, raw: null, extra: {}, contextProject: null, contextSha: null }
  return {
    files: [
      { text: text.trimStart(), tree: NOBODYS, shown: { type: 'template', location: name, ...nowhere } },
    ],
  }
}
