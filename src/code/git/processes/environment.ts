import type { Location } from './location.ts'

/**
 * The configuration of every git process, in the scope of the command, so that it wins over that of a repository.
 * Nothing that a client pushes is configuration, and no hook runs.
 */
const configuration: Readonly<Record<string, string>> = {
  // Folders of a data disk may belong to another account, as after a restore.
  'safe.directory': '*',
  'core.hooksPath': '/dev/null',
  'core.alternateRefsCommand': '/bin/true',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.quotePath': 'false',
  'core.logAllRefUpdates': 'false',
  // Git syncs neither references nor loose objects unless it is told to.
  'core.fsync': 'objects,derived-metadata,reference',
  'core.fsyncMethod': 'fsync',
  // Milliseconds that a process waits for another one to finish with a reference.
  'core.filesRefLockTimeout': '5000',
  'core.packedRefsTimeout': '10000',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'gpg.program': '/bin/false',
  // Git itself reaches out to nobody.
  'protocol.allow': 'never',
  // Git knows one value of each name here, and combines them.
  'transfer.hideRefs': 'refs/keep-around',
  'uploadpack.hideRefs': 'refs/merge-requests',
  'receive.hideRefs': 'refs/merge-requests',
  'uploadpack.allowFilter': 'true',
  // Partial clones fetch single objects. Protocol 2 allows it anyway.
  'uploadpack.allowAnySHA1InWant': 'true',
  'lsrefs.unborn': 'advertise',
  // The square of it is how many pairs of files are compared at most to find renames; git's own limits take minutes.
  'diff.renameLimit': '400',
  'merge.renameLimit': '400',
  // Larger files are streamed instead of held in memory, and no differences within them are looked for.
  'core.bigFileThreshold': '20m',
  'pack.threads': '2',
  'pack.windowMemory': '256m',
  'pack.writeReverseIndex': 'true',
  'repack.writeBitmaps': 'true',
}

/** Where git and the few programs that it starts are found. */
export const PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'

/**
 * The whole environment of a git process: nothing of this process's own reaches it.
 * @param settings configuration beyond that of every git process, which it also overrides.
 */
export function gitEnvironment(
  at: Location | undefined,
  more: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const base =
    Object.keys(settings).length === 0
      ? common
      : { ...common, ...configured({ ...configuration, ...settings }) }
  if (at === undefined) return { ...base, ...more }
  const { folder, quarantine, borrows } = at
  const others = [...(quarantine === undefined ? [] : [folder]), ...(borrows === undefined ? [] : [borrows])]
  return {
    ...base,
    GIT_DIR: folder,
    ...(quarantine !== undefined && { GIT_OBJECT_DIRECTORY: quarantine }),
    ...(others.length > 0 && {
      GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map((one) => `${one}/objects`).join(':'),
    }),
    ...more,
  }
}

const common: Readonly<Record<string, string>> = {
  PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_SSH_COMMAND: '/bin/false',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_FLUSH: '1',
  ...configured(configuration),
}

/** Configuration as git reads it from the environment. */
function configured(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(Object.keys(values).length) }
}
