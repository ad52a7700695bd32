import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { readPieces, streamOf } from '../http/pieces.ts';
import { matchesTag } from '../http/responder.ts';
import { ok, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { CERTIFICATE_BYTES_MAX, CERTIFICATE_TYPE, toFileName } from './certificate.ts';
import { uploadedCertificateSchema } from './certificates.schemas.ts';
import type { CertificatesService } from './certificates.service.ts';

const tag = 'Assets';
const path = '/assets/{assetId}/calibration-certificate';
const params = idParams('assetId');

interface CertificatesRoutesDeps {
  service: CertificatesService;
  uploads: ConcurrencyLimit;
  downloads: ConcurrencyLimit;
}

export function certificatesRoutes({ service, uploads, downloads }: CertificatesRoutesDeps): Route[] {
  return [
    route({
      method: 'GET',
      path,
      operationId: 'getCalibrationCertificate',
      summary: 'Download the calibration certificate of a device',
      description: 'The one that was uploaded for the serial number that the device has now.',
      tag,
      params,
      responses: { 200: { contentType: CERTIFICATE_TYPE } },
      errors: [404],
      conditional: true,
      async handle({ caller, params: { assetId }, header, isHead }) {
        const { serialNumber, tag, sizeBytes, chunks } = await service.serve(
          caller.organizationId,
          assetId,
          (etag) => matchesTag(header('If-None-Match'), etag),
        );
        if (chunks === null) return { status: 304, headers: { ETag: tag } };
        const body = isHead ? undefined : await downloads.stream(caller, () => streamOf(chunks));
        return ok(body, {
          'Content-Type': CERTIFICATE_TYPE,
          'Content-Length': String(sizeBytes),
          'Content-Disposition': `attachment; filename="${toFileName(serialNumber)}"`,
          'Content-Security-Policy': 'sandbox',
          ETag: tag,
        });
      },
    }),
    route({
      method: 'PUT',
      path,
      operationId: 'uploadCalibrationCertificate',
      summary: 'Upload the calibration certificate of a device',
      description:
        'A PDF file of at most 10 MiB, in place of the one before. It belongs to the serial number.',
      tag,
      params,
      rawBody: { contentType: CERTIFICATE_TYPE, maxBytes: CERTIFICATE_BYTES_MAX },
      responses: { 200: uploadedCertificateSchema },
      errors: [404, 413, 415],
      audit: { subject: 'assetId', after: (certificate) => certificate },
      async handle({ caller, params: { assetId }, stream, transact }) {
        const pieces = readPieces(stream, CERTIFICATE_BYTES_MAX);
        const upload = () => service.upload(transact, caller.organizationId, assetId, pieces);
        return ok(await uploads.run(caller, upload));
      },
    }),
  ];
}
