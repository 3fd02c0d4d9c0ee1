/** Whether `npm run test:tier peers` runs: what it has no other version of was tested before. */
export const hasOtherPeers: boolean = process.env.TEST_PEERS === '1';
