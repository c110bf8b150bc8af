// Guides show files that are packaged, as they are; and files of one program have one source.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** A page with each block below `<!-- shown: FILE -->` as that file is. */
export function withShownFiles(page: string): string {
  return page.replaceAll(
    /(<!-- shown: (\S+) -->\n+```\w*\n)[^]*?(^```$)/gm,
    (_, begin: string, path: string, end: string) => `${begin}${read(path)}${end}`,
  )
}

/** The configuration of the proxy in compose.yaml: that for nginx elsewhere, with the names and places of the container. */
export function composeNginx(): string {
  const changes = [
    [/^#.*\n/, ''],
    ['server 127.0.0.1:8080;', 'server forgelet:8080;'],
    ['    server_name forge.example.com;\n', ''],
    ['/etc/ssl/forge.example.com.pem', '/run/secrets/certificate.pem'],
    ['/etc/ssl/forge.example.com.key', '/run/secrets/certificate.key'],
  ] as const
  let server = read('packaging/proxies/nginx.conf')
  for (const [from, to] of changes) {
    const changed = server.replace(from, to)
    if (changed === server) throw new Error(`packaging/proxies/nginx.conf has no ${String(from)}`)
    server = changed
  }
  return `# The proxy of compose.yaml. Made from packaging/proxies/nginx.conf by \`npm run generate\`; edit that file.
worker_processes auto;
error_log stderr;
pid /tmp/nginx.pid;

events {}

http {
    access_log off;

${server.replaceAll(/^(?=.)/gm, '    ')}}
`
}
