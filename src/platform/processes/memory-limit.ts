/** How Node.js starts a program with a limit of memory for what it starts: a shell sets it, and then replaces itself with the program. */
export function limited(
  [program = '', ...args]: readonly string[],
  memory: number | undefined,
): { readonly execPath: string; readonly execArgv: string[] } {
  if (memory === undefined) return { execPath: program, execArgv: args }
  const set = ['-c', 'ulimit -S -d "$0" && exec "$@"', String(Math.ceil(memory / 1024))]
  return { execPath: '/bin/sh', execArgv: [...set, program, ...args] }
}
