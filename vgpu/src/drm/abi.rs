//! The structures of the calls, as they lie in the program's memory. Source: the kernel's interface headers `drm.h`,
//! `drm_mode.h`, `nouveau_drm.h` and `nvif/ioctl.h`; all fields are little-endian and there is no hidden padding.

use bytemuck::{Pod, Zeroable};

/// VERSION. Lengths are without a terminator.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Version {
    pub major: i32,
    pub minor: i32,
    pub patch: i32,
    pub pad: u32,
    /// Name, date, description: length and address of each.
    pub texts: [[u64; 2]; 3],
}

/// GET_CAP, SET_CLIENT_CAP.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Capability {
    pub capability: u64,
    pub value: u64,
}

/// GEM_FLINK, and GEM_CLOSE with `name` as padding.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Flink {
    pub handle: u32,
    pub name: u32,
}

/// GEM_OPEN.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct OpenName {
    pub name: u32,
    pub handle: u32,
    pub size: u64,
}

/// PRIME_HANDLE_TO_FD, PRIME_FD_TO_HANDLE.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Prime {
    pub handle: u32,
    pub flags: u32,
    pub fd: i32,
}

/// GETPARAM.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Parameter {
    pub parameter: u64,
    pub value: u64,
}

/// CHANNEL_ALLOC.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct ChannelAlloc {
    pub vram_object: u32,
    pub gart_object: u32,
    pub channel: i32,
    pub pushbuf_domains: u32,
    pub notifier_handle: u32,
    pub subchannels: [[u32; 2]; 8],
    pub subchannel_count: u32,
}

/// GROBJ_ALLOC.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct ObjectAlloc {
    pub channel: i32,
    pub handle: u32,
    pub class: i32,
}

/// NOTIFIEROBJ_ALLOC.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct NotifierAlloc {
    pub channel: u32,
    pub handle: u32,
    pub size: u32,
    pub offset: u32,
}

/// GPUOBJ_FREE.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct ObjectFree {
    pub channel: i32,
    pub handle: u32,
}

/// GEM_INFO.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct BufferInfo {
    pub handle: u32,
    pub domain: u32,
    pub size: u64,
    pub offset: u64,
    pub map_handle: u64,
    pub tile_mode: u32,
    pub tile_flags: u32,
}

/// GEM_NEW.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct BufferNew {
    pub info: BufferInfo,
    pub channel_hint: u32,
    pub align: u32,
}

/// GEM_PUSHBUF.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Pushbuf {
    pub channel: u32,
    pub buffer_count: u32,
    pub buffers: u64,
    pub relocation_count: u32,
    pub segment_count: u32,
    pub relocations: u64,
    pub segments: u64,
    pub suffix: [u32; 2],
    pub vram_available: u64,
    pub gart_available: u64,
}

/// A buffer of a [`Pushbuf`].
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct PushbufBuffer {
    pub user: u64,
    pub handle: u32,
    pub read_domains: u32,
    pub write_domains: u32,
    pub valid_domains: u32,
    /// Whether the two fields below are true.
    pub presumed_valid: u32,
    pub presumed_domain: u32,
    pub presumed_offset: u64,
}

/// A relocation of a [`Pushbuf`].
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Relocation {
    pub in_buffer: u32,
    pub in_offset: u32,
    pub buffer: u32,
    pub flags: u32,
    pub data: u32,
    pub vram_or: u32,
    pub gart_or: u32,
}

/// A segment of a [`Pushbuf`].
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Segment {
    pub buffer: u32,
    pub pad: u32,
    pub offset: u64,
    /// In bytes; bit 23 is no part of it.
    pub length: u64,
}

/// GEM_CPU_PREP.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct CpuPrepare {
    pub handle: u32,
    pub flags: u32,
}

/// VM_INIT: the addresses that the kernel keeps for itself.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct VmInit {
    pub kept_address: u64,
    pub kept_size: u64,
}

/// VM_BIND.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct VmBind {
    pub operation_count: u32,
    pub flags: u32,
    pub wait_count: u32,
    pub signal_count: u32,
    pub waits: u64,
    pub signals: u64,
    pub operations: u64,
}

/// An operation of a [`VmBind`].
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct BindOperation {
    pub operation: u32,
    /// The kind of the pages, and whether they are sparse.
    pub flags: u32,
    pub handle: u32,
    pub pad: u32,
    pub address: u64,
    pub offset: u64,
    pub size: u64,
}

/// EXEC.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Exec {
    pub channel: u32,
    pub push_count: u32,
    pub wait_count: u32,
    pub signal_count: u32,
    pub waits: u64,
    pub signals: u64,
    pub pushes: u64,
}

/// Words of an [`Exec`], by their address.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct ExecPush {
    pub address: u64,
    /// In bytes.
    pub length: u32,
    pub flags: u32,
}

/// A synchronisation object that a [`VmBind`] or [`Exec`] waits for or sets.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Sync {
    pub flags: u32,
    pub handle: u32,
    pub point: u64,
}

/// SYNCOBJ_CREATE, and SYNCOBJ_DESTROY with `flags` as padding.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SyncobjHandle {
    pub handle: u32,
    pub flags: u32,
}

/// SYNCOBJ_HANDLE_TO_FD, SYNCOBJ_FD_TO_HANDLE.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SyncobjDescriptor {
    pub handle: u32,
    pub flags: u32,
    pub fd: i32,
    pub pad: u32,
    /// Linux 6.16 and later have it.
    pub point: u64,
}

/// SYNCOBJ_EVENTFD.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SyncobjEvent {
    pub handle: u32,
    pub flags: u32,
    pub point: u64,
    pub fd: i32,
    pub pad: u32,
}

/// SYNC_IOC_MERGE, of sync files.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SyncMerge {
    pub name: [u8; 32],
    pub fd: i32,
    /// The descriptor of the new file.
    pub fence: i32,
    pub flags: u32,
    pub pad: u32,
}

/// SYNC_IOC_FILE_INFO, of sync files.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SyncFileInfo {
    pub name: [u8; 32],
    /// 1 when it is reached.
    pub status: i32,
    pub flags: u32,
    pub fence_count: u32,
    pub pad: u32,
    pub fences: u64,
}

/// A fence of a [`SyncFileInfo`].
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct FenceInfo {
    pub object: [u8; 32],
    pub driver: [u8; 32],
    pub status: i32,
    pub flags: u32,
    /// In nanoseconds.
    pub time: u64,
}

/// DMA_BUF_IOCTL_EXPORT_SYNC_FILE, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, of shared buffers; their DMA_BUF_IOCTL_SYNC has
/// flags of 64 bits.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct BufferSync {
    pub flags: u32,
    pub fd: i32,
}

/// SYNCOBJ_WAIT.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SyncobjWait {
    pub handles: u64,
    /// On the monotonic clock.
    pub until: i64,
    pub count: u32,
    pub flags: u32,
    pub first: u32,
    pub pad: u32,
}

/// SYNCOBJ_TIMELINE_WAIT.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct TimelineWait {
    pub handles: u64,
    pub points: u64,
    pub until: i64,
    pub count: u32,
    pub flags: u32,
    pub first: u32,
    pub pad: u32,
}

/// SYNCOBJ_RESET, SYNCOBJ_SIGNAL.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SyncobjArray {
    pub handles: u64,
    pub count: u32,
    pub pad: u32,
}

/// SYNCOBJ_QUERY, SYNCOBJ_TIMELINE_SIGNAL.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct TimelineArray {
    pub handles: u64,
    pub points: u64,
    pub count: u32,
    pub flags: u32,
}

/// SYNCOBJ_TRANSFER.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SyncobjTransfer {
    pub from: u32,
    pub to: u32,
    pub from_point: u64,
    pub to_point: u64,
    pub flags: u32,
    pub pad: u32,
}

/// The header of NVIF messages.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Nvif {
    pub version: u8,
    pub kind: u8,
    pub pad: [u8; 4],
    pub owner: u8,
    /// 0xFF: the token is a channel.
    pub route: u8,
    pub token: u64,
    pub object: u64,
}

/// NVIF NEW, after the header.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct NvifNew {
    pub version: u8,
    pub pad: [u8; 6],
    pub route: u8,
    pub token: u64,
    pub object: u64,
    pub handle: u32,
    pub class: i32,
}

/// NVIF SCLASS, after the header. That many classes follow; in an answer, how many there are.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct NvifClasses {
    pub version: u8,
    pub count: u8,
    pub pad: [u8; 6],
}

/// A class in the answer to NVIF SCLASS, with the versions that it has: from -1 to -1 for those that have none.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct NvifClass {
    pub class: i32,
    pub smallest: i16,
    pub largest: i16,
}

/// NVIF MTHD, after the header.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct NvifMethod {
    pub version: u8,
    pub method: u8,
    pub pad: [u8; 6],
}

/// What the device object answers to method INFO.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct DeviceInfo {
    pub version: u8,
    pub platform: u8,
    pub chipset: u16,
    pub revision: u8,
    pub family: u8,
    pub pad: [u8; 2],
    pub ram_size: u64,
    pub ram_user: u64,
    pub chip: [u8; 16],
    pub name: [[u8; 16]; 4],
}

/// What the device object answers to method TIME.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct DeviceTime {
    pub version: u8,
    pub pad: [u8; 7],
    pub nanoseconds: u64,
}

/// MODE_GETRESOURCES: addresses and counts of frame buffers, CRTCs, connectors, encoders.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Resources {
    pub lists: [u64; 4],
    pub counts: [u32; 4],
    /// Widths, then heights.
    pub smallest_and_largest: [u32; 4],
}

/// A display mode.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Mode {
    /// In kHz.
    pub clock: u32,
    /// Visible, start and end of the synchronisation, total, skew.
    pub horizontal: [u16; 5],
    pub vertical: [u16; 5],
    pub refresh: u32,
    pub flags: u32,
    pub kind: u32,
    pub name: [u8; 32],
}

/// MODE_GETCRTC, MODE_SETCRTC.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Crtc {
    pub connectors: u64,
    pub connector_count: u32,
    pub crtc: u32,
    pub frame_buffer: u32,
    pub x: u32,
    pub y: u32,
    pub gamma_size: u32,
    pub mode_valid: u32,
    pub mode: Mode,
}

/// MODE_GETENCODER.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Encoder {
    pub encoder: u32,
    pub kind: u32,
    pub crtc: u32,
    pub possible_crtcs: u32,
    pub possible_clones: u32,
}

/// MODE_GETCONNECTOR.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Connector {
    pub encoders: u64,
    pub modes: u64,
    pub properties: u64,
    pub property_values: u64,
    pub mode_count: u32,
    pub property_count: u32,
    pub encoder_count: u32,
    pub encoder: u32,
    pub connector: u32,
    pub kind: u32,
    pub kind_number: u32,
    pub connection: u32,
    /// In millimetres.
    pub size: [u32; 2],
    pub subpixel: u32,
    pub pad: u32,
}

/// MODE_GETPROPERTY.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Property {
    pub values: u64,
    pub names: u64,
    pub property: u32,
    pub flags: u32,
    pub name: [u8; 32],
    pub value_count: u32,
    pub name_count: u32,
}

/// A value of a [`Property`] with its name.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct PropertyName {
    pub value: u64,
    pub name: [u8; 32],
}

/// MODE_OBJ_GETPROPERTIES.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct ObjectProperties {
    pub properties: u64,
    pub values: u64,
    pub count: u32,
    pub object: u32,
    pub kind: u32,
    pub pad: u32,
}

/// MODE_OBJ_SETPROPERTY.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct SetProperty {
    pub value: u64,
    pub property: u32,
    pub object: u32,
    pub kind: u32,
    pub pad: u32,
}

/// MODE_GETPROPBLOB.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Blob {
    pub blob: u32,
    pub length: u32,
    pub data: u64,
}

/// MODE_CREATEPROPBLOB.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct NewBlob {
    pub data: u64,
    pub length: u32,
    pub blob: u32,
}

/// MODE_GETPLANERESOURCES.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Planes {
    pub planes: u64,
    pub count: u32,
    pub pad: u32,
}

/// MODE_GETPLANE.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Plane {
    pub plane: u32,
    pub crtc: u32,
    pub frame_buffer: u32,
    pub possible_crtcs: u32,
    pub gamma_size: u32,
    pub format_count: u32,
    pub formats: u64,
}

/// MODE_ATOMIC.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Atomic {
    pub flags: u32,
    pub object_count: u32,
    pub objects: u64,
    /// How many properties each object has.
    pub property_counts: u64,
    pub properties: u64,
    pub property_values: u64,
    pub reserved: u64,
    pub user_data: u64,
}

/// MODE_ADDFB.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct AddFrameBuffer {
    pub frame_buffer: u32,
    pub width: u32,
    pub height: u32,
    pub pitch: u32,
    pub bits_per_pixel: u32,
    pub depth: u32,
    pub handle: u32,
}

/// MODE_ADDFB2.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct AddFrameBuffer2 {
    pub frame_buffer: u32,
    pub width: u32,
    pub height: u32,
    pub format: u32,
    pub flags: u32,
    pub handles: [u32; 4],
    pub pitches: [u32; 4],
    pub offsets: [u32; 4],
    pub pad: u32,
    pub modifiers: [u64; 4],
}

/// MODE_PAGE_FLIP.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct PageFlip {
    pub crtc: u32,
    pub frame_buffer: u32,
    pub flags: u32,
    pub pad: u32,
    pub user_data: u64,
}

/// MODE_CREATE_DUMB.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct CreateDumb {
    pub height: u32,
    pub width: u32,
    pub bits_per_pixel: u32,
    pub flags: u32,
    pub handle: u32,
    pub pitch: u32,
    pub size: u64,
}

/// MODE_MAP_DUMB.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct MapDumb {
    pub handle: u32,
    pub pad: u32,
    pub offset: u64,
}

/// The event of a page flip that is complete.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct FlipEvent {
    pub kind: u32,
    pub length: u32,
    pub user_data: u64,
    pub seconds: u32,
    pub microseconds: u32,
    pub sequence: u32,
    pub crtc: u32,
}

/// What an [`Nvif`] message asks for.
pub mod nvif_kind {
    pub const NOP: u8 = 0;
    pub const SCLASS: u8 = 1;
    pub const NEW: u8 = 2;
    pub const DEL: u8 = 3;
    pub const MTHD: u8 = 4;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_sizes_of_the_calls() {
        assert_eq!(size_of::<Version>(), 64);
        assert_eq!(size_of::<ChannelAlloc>(), 88);
        assert_eq!(size_of::<BufferNew>(), 48);
        assert_eq!(size_of::<Pushbuf>(), 64);
        assert_eq!((size_of::<PushbufBuffer>(), size_of::<Relocation>(), size_of::<Segment>()), (40, 28, 24));
        assert_eq!((size_of::<Nvif>(), size_of::<NvifNew>(), size_of::<DeviceInfo>()), (24, 32, 104));
        assert_eq!((size_of::<NvifClasses>(), size_of::<NvifClass>()), (8, 8));
        assert_eq!((size_of::<VmInit>(), size_of::<VmBind>(), size_of::<BindOperation>()), (16, 40, 40));
        assert_eq!((size_of::<Exec>(), size_of::<ExecPush>(), size_of::<Sync>()), (40, 16, 16));
        assert_eq!((size_of::<SyncobjWait>(), size_of::<TimelineWait>(), size_of::<TimelineArray>()), (32, 40, 24));
        assert_eq!((size_of::<SyncobjDescriptor>(), size_of::<SyncobjTransfer>()), (24, 32));
        assert_eq!((size_of::<SyncobjEvent>(), size_of::<BufferSync>()), (24, 8));
        assert_eq!((size_of::<SyncMerge>(), size_of::<SyncFileInfo>(), size_of::<FenceInfo>()), (48, 56, 80));
        assert_eq!((size_of::<Mode>(), size_of::<Crtc>(), size_of::<Connector>()), (68, 104, 80));
        assert_eq!((size_of::<Property>(), size_of::<PropertyName>()), (64, 40));
        assert_eq!((size_of::<ObjectProperties>(), size_of::<SetProperty>()), (32, 24));
        assert_eq!((size_of::<Plane>(), size_of::<Atomic>()), (32, 56));
        assert_eq!((size_of::<AddFrameBuffer2>(), size_of::<FlipEvent>()), (104, 32));
    }
}
