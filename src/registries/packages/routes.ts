import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { group, project, reads, writes } from '#platform/access/route-access.ts'
import { orderParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { deletePackage, deletePackageFile } from './delete-package.ts'
import { audienceOf } from './audience-of.ts'
import {
  Package,
  PackageFile,
  PackagePipeline,
  PackageWithVersions,
  presentPackage,
  presentPackageFile,
  presentPackagePipeline,
  presentPackageWithVersions,
} from './entity.ts'
import {
  ByPackage,
  ByPackageFile,
  groupPackageOrder,
  GroupPackageFilter,
  packageFileOrder,
  PackageFilter,
  packageOrder,
  packagePipelineOrder,
} from './parameters.ts'
import {
  filterPackages,
  findPackage,
  otherVersions,
  packageFilesOf,
  packagePipelinesOf,
  packagesBelow,
  packagesOf,
} from './queries.ts'

/** In the list of a group, nothing is looked up for each project. */
const inGroups = { mayDelete: false, seesPipelines: false }

/** Packages of every format: their lists, files and pipelines. */
export const packageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const one = '/projects/:id/packages/:package_id'
  const find = (req: FastifyRequest, id: number) => findPackage(db, req.project().container.id, id)

  app.get(
    '/projects/:id/packages',
    {
      config: reads(project('read_package'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the packages of a project',
        params: ById,
        querystring: PackageFilter,
        response: { 200: Type.Array(Package) },
      },
    },
    async (req, reply) => {
      const list = filterPackages(packagesOf(db, req.project().container.id), req.query)
      const rows = await paginate(req, reply, list, packageOrder)
      return rows.map((row) => presentPackage(row, audienceOf(req)))
    },
  )

  app.get(
    '/groups/:id/packages',
    {
      config: reads(group('list_packages'), { anonymous: true }),
      schema: {
        summary: 'List the packages of all projects in a group and its subgroups',
        params: ById,
        querystring: GroupPackageFilter,
        response: { 200: Type.Array(Package) },
      },
    },
    async (req, reply) => {
      const below = packagesBelow(db, req.viewer, req.group().container.namespace_id, req.query)
      const rows = await paginate(req, reply, filterPackages(below, req.query), groupPackageOrder)
      return rows.map((row) =>
        presentPackage(row, { ...inGroups, site: req.site, fullPath: row.project_path }),
      )
    },
  )

  app.get(
    one,
    {
      config: reads(project('read_package'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Get a package',
        description: 'With the newest hundred of its other versions.',
        params: ByPackage,
        response: { 200: PackageWithVersions },
      },
    },
    async (req) => {
      const found = await find(req, req.params.package_id)
      return presentPackageWithVersions(found, await otherVersions(db, found), audienceOf(req))
    },
  )

  app.get(
    `${one}/package_files`,
    {
      config: reads(project('read_package'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the files of a package',
        params: ByPackage,
        querystring: Type.Object(orderParameters(packageFileOrder)),
        response: { 200: Type.Array(PackageFile) },
      },
    },
    async (req, reply) => {
      const { id } = await find(req, req.params.package_id)
      const rows = await paginate(req, reply, packageFilesOf(db, id), packageFileOrder)
      return rows.map((row) => presentPackageFile(row, audienceOf(req)))
    },
  )

  app.get(
    `${one}/pipelines`,
    {
      config: reads(project('read_package'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the pipelines that published a package',
        description: 'None for those who may not see the pipelines of the project.',
        params: ByPackage,
        querystring: Type.Object(orderParameters(packagePipelineOrder)),
        response: { 200: Type.Array(PackagePipeline) },
      },
    },
    async (req, reply) => {
      const { id } = await find(req, req.params.package_id)
      const { can, container } = req.project()
      const all = packagePipelinesOf(db, id)
      const seen = can('read_pipeline') ? all : all.where('b.package_id', 'is', null)
      const rows = await paginate(req, reply, seen, packagePipelineOrder)
      return rows.map((row) => presentPackagePipeline(row, { site: req.site, fullPath: container.full_path }))
    },
  )

  app.delete(
    one,
    {
      config: writes(project('destroy_package'), { jobToken: true }),
      schema: { summary: 'Delete a package', params: ByPackage, response: { 204: NoContent } },
    },
    async (req) => {
      const { container, accessContext } = req.project()
      await req.write((tx) => deletePackage(tx, container, req.params.package_id, accessContext))
    },
  )

  app.delete(
    `${one}/package_files/:package_file_id`,
    {
      config: writes(project('destroy_package')),
      schema: { summary: 'Delete a file of a package', params: ByPackageFile, response: { 204: NoContent } },
    },
    async (req) => {
      const { container, accessContext: role } = req.project()
      const { package_id: packageId, package_file_id: fileId } = req.params
      await req.write((tx) => deletePackageFile(tx, container, { packageId, fileId, role }))
    },
  )
}
