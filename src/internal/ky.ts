// `#ky`: ky, for `./client`, in a file that is imported late (see scripts/shared-files.ts). By name, as `default` is something
// else where CommonJS is imported.
export { default as ky, HTTPError, isHTTPError, isTimeoutError } from 'ky';
