import { listIn, recordIn, scalarIn, textsIn } from '../config/json.ts'
import type { Json } from '../config/values.ts'

/**
 * What makes the release that a job describes, in any shell of POSIX: the program `glab`, or the older `release-cli` where there is no
 * `glab` that knows how to leave an existing release and its milestones alone. Variables in what the job says are expanded.
 */
export function releaseCommand(release: ReturnType<typeof recordIn>): string {
  const ref = scalarIn(release['ref']) ?? ''
  // Both would take the commit of the job; said here, runners need not know.
  const wanted = { ...release, ref: ref === '' ? '$CI_COMMIT_SHA' : ref }
  return [
    'case "$(glab release create --help 2>&1)" in *--no-close-milestone*)',
    'export GITLAB_HOST="$CI_SERVER_URL"',
    'glab auth login --hostname "$CI_SERVER_FQDN" --api-protocol "$CI_SERVER_PROTOCOL" --job-token "$CI_JOB_TOKEN"',
    withGlab(wanted),
    ';; *)',
    withReleaseCli(wanted),
    ';; esac',
  ].join('\n')
}

function withGlab(release: ReturnType<typeof recordIn>): string {
  const links = linksOf(release)
  return [
    `glab release create ${quoted(scalarIn(release['tag_name']) ?? '')} --repo "$CI_PROJECT_PATH"`,
    ...flag('--name', release['name']),
    ...notesOf(scalarIn(release['description'])),
    ...flag('--tag-message', release['tag_message']),
    ...flag('--ref', release['ref']),
    ...flag('--released-at', release['released_at']),
    ...milestonesOf(release),
    ...(links.length > 0 ? [`--assets-links ${quoted(JSON.stringify(links))}`] : []),
    '--no-update --no-close-milestone',
  ].join(' ')
}

/** The description. What is one word may be the name of a file that has it, which `release-cli` knows by itself. */
function notesOf(text = ''): string[] {
  if (text === '' || /\s/.test(text)) return [`--notes ${quoted(text)}`]
  const word = quoted(text)
  return [`--notes "$(cat -- ${word} 2>/dev/null </dev/null || printf '%s' ${word})"`]
}

function withReleaseCli(release: ReturnType<typeof recordIn>): string {
  return [
    'release-cli create',
    ...flag('--name', release['name']),
    ...flag('--description', release['description']),
    ...flag('--tag-name', release['tag_name']),
    ...flag('--tag-message', release['tag_message']),
    ...flag('--ref', release['ref']),
    ...flag('--released-at', release['released_at']),
    ...milestonesOf(release),
    ...linksOf(release).map((link) => `--assets-link ${quoted(JSON.stringify(link))}`),
  ].join(' ')
}

const linksOf = (release: ReturnType<typeof recordIn>) => listIn(recordIn(release['assets'])['links'])

const milestonesOf = (release: ReturnType<typeof recordIn>) =>
  textsIn(release['milestones']).map((title) => `--milestone ${quoted(title)}`)

function flag(name: string, value: Json | undefined): string[] {
  const text = scalarIn(value)
  return text === undefined ? [] : [`${name} ${quoted(text)}`]
}

/** A text as one word of a shell, in which variables still count and nothing else does. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\`]|\$(?=\()/g, (sign) => `\\${sign}`)}"`
