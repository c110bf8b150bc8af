import type { FastifyRequest } from 'fastify'
import { DEPLOY_TOKEN_PREFIX } from '#platform/access/credentials.ts'
import { identifyDeployToken, type IdentifiedDeployToken, reaches } from '#platform/access/deploy-tokens.ts'
import { digestOf } from '#platform/access/digest.ts'
import { authorizeProject, Moved } from '#platform/access/authorize.ts'
import { projectRule } from '#platform/access/abilities.ts'
import { levels } from '#platform/access/roles.ts'
import { NotAllowed, notFound, Unidentified } from '#platform/refusals.ts'
import { chosenBranch } from '#code/repositories/chosen-branch.ts'
import { RepositoryMoved } from '#code/git-transport/access.ts'
import { contextOfMachine, type ProjectOfMachine } from '#code/git-transport/machines.ts'
import type { GitAttempt, GitCredentials } from './authorize-git.ts'

const UNKNOWN = 'This deploy token is unknown, has expired, or belongs to another username.'
const NO_READING = 'This deploy token needs the scope read_repository.'
const NO_PUSHING = 'Deploy tokens cannot push. Use a project access token with the scope write_repository.'

/** What the path of a wiki ends with. */
const WIKI = '.wiki'

/** Deploy tokens read the repositories and wikis of their project, or of all projects below their group. */
export const deployTokensForGit: GitCredentials = {
  async authorize({ request, username, password, path, service }: GitAttempt) {
    if (!password.startsWith(DEPLOY_TOKEN_PREFIX)) return undefined
    const { services } = request.server
    const digest = digestOf(password)
    const token = await services.failedAuthentications.watch(request.ip, digest, async () => {
      const found = await identifyDeployToken(services, { username, digest })
      if (found === undefined) throw new Unidentified(UNKNOWN)
      return found
    })
    request.callerName = `deploy token ${token.id}`
    if (!token.scopes.includes('read_repository')) throw new NotAllowed(NO_READING)
    const wiki = path.endsWith(WIKI)
    const found = await projectFor(
      request,
      token,
      wiki ? path.slice(0, -WIKI.length) : path,
      wiki ? WIKI : '',
    )
    // It may what a Reporter may.
    const accessContext = contextOfMachine(found, levels.reporter)
    const { container: project } = found
    if (!projectRule(wiki ? 'read_wiki' : 'download_code')(accessContext)) throw notFound('Project')
    if (service === 'git-receive-pack') throw new NotAllowed(NO_PUSHING)
    return {
      owner: { kind: wiki ? 'wiki' : 'project', project: project.id },
      defaultBranch: wiki ? undefined : chosenBranch(project),
      accessContext,
      userId: null,
      site: request.site,
      by: { author: null, ip: request.ip, requestId: request.id },
    }
  },
}

/** The token decides what it reaches, so the look-up itself hides nothing. */
async function projectFor(
  request: FastifyRequest,
  token: IdentifiedDeployToken,
  path: string,
  suffix: string,
): Promise<ProjectOfMachine> {
  const { server, viewer } = request
  const find = async (idOrPath: string) => {
    const all = { ...viewer, admin: true }
    const found = await authorizeProject(server.db, all, idOrPath, 'read_project')
    if (!reaches(token, found.container)) throw notFound('Project')
    return found
  }
  try {
    return await find(path)
  } catch (error) {
    if (!(error instanceof Moved)) throw error
    const { container } = await find(String(error.id))
    throw new RepositoryMoved(container.full_path + suffix)
  }
}
