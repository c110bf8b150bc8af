import type { KeptCommit } from '#code/jobs/entity.ts'
import { packageVersion } from '#platform/package.ts'
import type { Circumstances } from './circumstances.ts'
import type { PipelineProject } from './pipeline-project.ts'

const version = packageVersion()

/** What the variables of a pipeline are made of. */
export interface DescribedPipeline extends Circumstances {
  readonly site: string
  readonly project: PipelineProject
  readonly defaultBranch: string | null
  readonly commit: KeptCommit
  readonly before: string
  /** A branch or tag without a prefix. */
  readonly ref: string
  readonly isTag: boolean
  readonly isProtected: boolean
  readonly source: string
  readonly user: {
    readonly id: number
    readonly name: string
    readonly username: string
    readonly email: string
  }
  readonly mergeRequest?: DescribedMergeRequest | undefined
  /** Present once the pipeline is there. */
  readonly pipeline?: {
    readonly id: number
    readonly iid: number
    readonly created_at: string
    readonly name: string | null
  }
  readonly triggered?: boolean
}

export interface DescribedMergeRequest {
  readonly id: number
  readonly iid: number
  readonly title: string
  readonly description: string | null
  readonly draft: boolean
  readonly source_branch: string
  readonly target_branch: string
  readonly source_project: { readonly id: number; readonly full_path: string }
  readonly target_project: { readonly id: number; readonly full_path: string }
  readonly base_sha: string | null
  readonly labels: readonly string[]
  readonly milestone: string | null
  readonly assignees: readonly string[]
  readonly approved: boolean
  readonly isTargetProtected: boolean
}

/** A text that may be part of a host name: small letters, digits and dashes, at most 63. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '')

/** What the server says of a pipeline, by the names that GitLab gives it. */
export function predefinedVariables(described: DescribedPipeline): Map<string, string> {
  const { site, project, commit, ref, isTag, pipeline, mergeRequest, user } = described
  const { hostname, port, protocol, host } = new URL(site)
  const [major, minor, patch] = version.split('.')
  const projectUrl = `${site}/${project.full_path}`
  const email = `${commit.author.name} <${commit.author.email}>`
  const values: Record<string, string | number | boolean | null | undefined> = {
    CI: true,
    GITLAB_CI: true,
    CI_SERVER: 'yes',
    CI_SERVER_NAME: 'GitLab',
    CI_SERVER_URL: site,
    CI_SERVER_HOST: hostname,
    CI_SERVER_FQDN: host,
    CI_SERVER_PORT: port === '' ? (protocol === 'https:' ? 443 : 80) : port,
    CI_SERVER_PROTOCOL: protocol.slice(0, -1),
    CI_SERVER_VERSION: version,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch?.replace(/\D.*/, ''),
    CI_SERVER_REVISION: 'forgelet',
    GITLAB_FEATURES: '',
    CI_API_V4_URL: `${site}/api/v4`,
    CI_API_GRAPHQL_URL: `${site}/api/graphql`,
    CI_TEMPLATE_REGISTRY_HOST: 'registry.gitlab.com',

    CI_PROJECT_ID: project.id,
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_PATH: project.full_path,
    CI_PROJECT_PATH_SLUG: slugOf(project.full_path),
    CI_PROJECT_NAMESPACE: project.parent_path,
    CI_PROJECT_NAMESPACE_ID: project.parent_id,
    CI_PROJECT_NAMESPACE_SLUG: slugOf(project.parent_path),
    CI_PROJECT_ROOT_NAMESPACE: project.full_path.split('/')[0],
    CI_PROJECT_URL: projectUrl,
    CI_PROJECT_VISIBILITY: project.visibility,
    CI_PROJECT_REPOSITORY_LANGUAGES: '',
    CI_PROJECT_CLASSIFICATION_LABEL: '',
    CI_DEFAULT_BRANCH: described.defaultBranch ?? '',
    CI_DEFAULT_BRANCH_SLUG: slugOf(described.defaultBranch ?? ''),
    CI_CONFIG_PATH: project.configPath ?? '.gitlab-ci.yml',

    CI_PIPELINE_IID: pipeline?.iid,
    CI_PIPELINE_ID: pipeline?.id,
    CI_PIPELINE_URL: pipeline && `${projectUrl}/-/pipelines/${pipeline.id}`,
    CI_PIPELINE_CREATED_AT: pipeline?.created_at,
    CI_PIPELINE_NAME: pipeline?.name,
    CI_PIPELINE_SOURCE: described.source,
    CI_PIPELINE_TRIGGERED: described.triggered === true ? true : undefined,
    CI_PIPELINE_SCHEDULE_DESCRIPTION: described.scheduleDescription,
    CI_DEPLOY_FREEZE: described.isFrozen ? true : undefined,

    CI_COMMIT_SHA: commit.id,
    CI_COMMIT_SHORT_SHA: commit.id.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: described.before,
    CI_COMMIT_REF_NAME: ref,
    CI_COMMIT_REF_SLUG: slugOf(ref),
    CI_COMMIT_REF_PROTECTED: described.isProtected,
    CI_COMMIT_BRANCH: !isTag && mergeRequest === undefined ? ref : undefined,
    CI_COMMIT_TAG: isTag ? ref : undefined,
    CI_COMMIT_TAG_MESSAGE: isTag ? (described.tagMessage ?? '') : undefined,
    CI_COMMIT_MESSAGE: commit.message,
    CI_COMMIT_TITLE: commit.title,
    CI_COMMIT_DESCRIPTION: descriptionOf(commit),
    CI_COMMIT_TIMESTAMP: commit.committer.at.replace(/\.\d+/, ''),
    CI_COMMIT_AUTHOR: email,
    CI_OPEN_MERGE_REQUESTS: described.openMergeRequests,

    // Names of before 2017 that files still use.
    CI_BUILD_REF: commit.id,
    CI_BUILD_BEFORE_SHA: described.before,
    CI_BUILD_REF_NAME: ref,
    CI_BUILD_REF_SLUG: slugOf(ref),
    CI_BUILD_TAG: isTag ? ref : undefined,

    GITLAB_USER_ID: user.id,
    GITLAB_USER_NAME: user.name,
    GITLAB_USER_LOGIN: user.username,
    GITLAB_USER_EMAIL: user.email,
    ...(mergeRequest && ofMergeRequest(mergeRequest, described)),
  }
  return new Map(
    Object.entries(values).flatMap(([key, value]): [string, string][] =>
      value === undefined || value === null ? [] : [[key, String(value)]],
    ),
  )
}

function ofMergeRequest(
  mr: DescribedMergeRequest,
  { site }: DescribedPipeline,
): Record<string, string | number | boolean | null | undefined> {
  return {
    CI_MERGE_REQUEST_ID: mr.id,
    CI_MERGE_REQUEST_IID: mr.iid,
    CI_MERGE_REQUEST_REF_PATH: `refs/merge-requests/${mr.iid}/head`,
    CI_MERGE_REQUEST_PROJECT_ID: mr.target_project.id,
    CI_MERGE_REQUEST_PROJECT_PATH: mr.target_project.full_path,
    CI_MERGE_REQUEST_PROJECT_URL: `${site}/${mr.target_project.full_path}`,
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: mr.target_branch,
    CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: mr.isTargetProtected,
    CI_MERGE_REQUEST_TARGET_BRANCH_SHA: '',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: mr.source_project.id,
    CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: mr.source_project.full_path,
    CI_MERGE_REQUEST_SOURCE_PROJECT_URL: `${site}/${mr.source_project.full_path}`,
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: mr.source_branch,
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '',
    CI_MERGE_REQUEST_DIFF_BASE_SHA: mr.base_sha,
    CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
    CI_MERGE_REQUEST_TITLE: mr.title,
    CI_MERGE_REQUEST_DESCRIPTION: (mr.description ?? '').slice(0, 2_700),
    CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: (mr.description ?? '').length > 2_700,
    CI_MERGE_REQUEST_DRAFT: mr.draft,
    CI_MERGE_REQUEST_LABELS: mr.labels.length > 0 ? mr.labels.join(',') : undefined,
    CI_MERGE_REQUEST_MILESTONE: mr.milestone,
    CI_MERGE_REQUEST_ASSIGNEES: mr.assignees.length > 0 ? mr.assignees.join(', ') : undefined,
    CI_MERGE_REQUEST_APPROVED: mr.approved ? true : undefined,
  }
}

/** The message without its title. */
const descriptionOf = ({ message, title }: KeptCommit): string =>
  message.startsWith(title)
    ? message
        .slice(title.length)
        .replace(/^\s*\n/, '')
        .replace(/^\n/, '')
    : message
