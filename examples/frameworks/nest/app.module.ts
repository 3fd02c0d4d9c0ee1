import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhooksModule } from './webhooks.module.js';

@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      useFactory: () => ({
        type: 'postgres',
        url: process.env.DATABASE_URL ?? '',
        connectTimeoutMS: 5000,
        autoLoadEntities: true,
        synchronize: true, // in development; it leaves the tables of the store
      }),
    }),
    WebhooksModule,
  ],
})
export class AppModule {}
