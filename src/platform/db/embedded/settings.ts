export const PORT = 5432
/** Owns the cluster. Signs in only while the cluster is set up; see access.ts. */
export const SUPERUSER = 'forgelet'
/** The role of the program: it owns its database and nothing else. */
export const USER = 'forgelet_app'
export const DATABASE = 'forgelet'

/** What initdb is told; text compares by code point, the same on every machine. */
export function initdbArguments(folder: string, ephemeral: boolean): string[] {
  return [
    `--pgdata=${folder}`,
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C.UTF-8',
    '--encoding=UTF8',
    '--data-checksums',
    // Until the role of the program has its password, in the same start.
    '--auth=trust',
    `--username=${SUPERUSER}`,
    ...(ephemeral ? ['--no-sync'] : []),
  ]
}

/** What postgres is told at every start, so that clusters of any age run alike. */
export function serverArguments(cluster: string, socketFolder: string, ephemeral: boolean): string[] {
  const settings: Record<string, string> = {
    // Reached through the socket folder only, which nobody else can enter.
    listen_addresses: '',
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: String(PORT),
    timezone: 'UTC',
    lc_messages: 'C',
    // Small: one process on one machine with many short statements.
    shared_buffers: '48MB',
    // Tests run several servers on one of these.
    max_connections: ephemeral ? '300' : '60',
    huge_pages: 'off',
    jit: 'off',
    io_method: 'sync',
    max_worker_processes: '4',
    max_parallel_workers_per_gather: '0',
    // No replicas and no archive, so the log need only serve recovery, which these sizes keep to about a second.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    max_wal_size: '256MB',
    min_wal_size: '32MB',
    autovacuum: 'on',
    restart_after_crash: 'on',
    // Statements and details hold user data; Forgelet logs the errors it gets.
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    logging_collector: 'off',
    log_destination: 'stderr',
    fsync: ephemeral ? 'off' : 'on',
    synchronous_commit: ephemeral ? 'off' : 'on',
    full_page_writes: ephemeral ? 'off' : 'on',
  }
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** A clean environment: PG*, LANG and TZ of the caller must not change what the server does. */
export function cleanEnvironment(extra: Record<string, string>): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC', ...extra }
}
