export const PORT = 5432
/** The owner of the cluster. It signs in only while the cluster is set up; see access.ts. */
export const SUPERUSER = 'forgelet'
/** The role of the program. It owns its database and nothing else. */
export const USER = 'forgelet_app'
export const DATABASE = 'forgelet'

/** The arguments of initdb. Text compares by code point, the same on every machine. */
export function initdbArguments(folder: string, ephemeral: boolean): string[] {
  return [
    `--pgdata=${folder}`,
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C.UTF-8',
    '--encoding=UTF8',
    '--data-checksums',
    // Only until the program's role has its password, in the same start.
    '--auth=trust',
    `--username=${SUPERUSER}`,
    ...(ephemeral ? ['--no-sync'] : []),
  ]
}

/** The arguments of postgres at every start, so that clusters of any age run alike. */
export function serverArguments(
  cluster: string,
  socketFolder: string,
  ephemeral: boolean,
  major: string,
): string[] {
  const settings: Record<string, string> = {
    // The server is reached only through the socket folder, which only its account can enter.
    listen_addresses: '',
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: String(PORT),
    timezone: 'UTC',
    lc_messages: 'C',
    // Small, because one process on one machine sends many short statements.
    shared_buffers: '48MB',
    // Tests run several Forgelet servers on one PostgreSQL.
    max_connections: ephemeral ? '600' : '60',
    huge_pages: 'off',
    jit: 'off',
    ...(Number(major) >= 18 ? { io_method: 'sync' } : {}),
    max_worker_processes: '4',
    max_parallel_workers_per_gather: '0',
    // There are no replicas and no archive. The log only serves recovery, which these sizes keep to about a second.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    max_wal_size: '256MB',
    min_wal_size: '32MB',
    autovacuum: 'on',
    restart_after_crash: 'on',
    // Statements and details hold user data. Forgelet logs the errors that it gets.
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

/** A clean environment: the caller's PG*, LANG and TZ must not change what the server does. */
export function cleanEnvironment(extra: Record<string, string>): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC', ...extra }
}
