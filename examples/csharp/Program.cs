// A Nintendo 3DS in C#: GSP fills a picture, and the top screen shows it in rows of the host's.
//
//     mcs -unsafe capi/csharp/Triglyph.cs examples/csharp/Program.cs -out:example.exe
//     LD_LIBRARY_PATH=target/release mono example.exe
//
// With .NET: LD_LIBRARY_PATH=target/release dotnet run --project examples/csharp

using System;
using System.Runtime.InteropServices;
using Triglyph;

public static unsafe class Example
{
    // VRAM by its physical address, and as programs see it.
    private const uint VRAM = 0x18000000, VRAM_VIRTUAL = 0x1F000000;
    private const int WIDTH = 400, HEIGHT = 240;

    private static int faults;

    private static void Check(triglyph_status status)
    {
        if (status != triglyph_status.Ok)
        {
            throw new InvalidOperationException(Marshal.PtrToStringAnsi((IntPtr)Native.last_error()));
        }
    }

    // The library keeps the delegate, so it has to live as long as the device.
    private static readonly triglyph_fault_callback OnFault = CountFault;

    private static void CountFault(void* userData, triglyph_fault* fault)
    {
        faults++;
        Console.Error.WriteLine(Marshal.PtrToStringAnsi((IntPtr)fault->what));
    }

    // GX command 2: fills the picture of 240 x 400 pixels with a colour, 32 bits a pixel.
    private static void Fill(triglyph_n3ds* n3ds, uint colour)
    {
        uint* words = stackalloc uint[8];
        words[0] = 2;
        words[1] = VRAM_VIRTUAL;
        words[2] = colour;
        words[3] = VRAM_VIRTUAL + 4 * WIDTH * HEIGHT;
        words[4] = words[5] = words[6] = 0;
        words[7] = 0x201;
        triglyph_n3ds_executed executed;
        Check(Native.n3ds_execute(n3ds, words, &executed));
        Console.WriteLine("interrupt " + (executed.has_interrupt != 0 ? Name(executed.interrupt) : "none"));
    }

    private static string Name(uint interrupt)
    {
        return ((triglyph_n3ds_interrupt)interrupt).ToString().ToUpperInvariant();
    }

    // The registers of the top screen's controller: where the picture is, RGBA8, 960 bytes a column.
    private static void Show(triglyph_n3ds* n3ds)
    {
        Check(Native.n3ds_write_register(n3ds, 0x400468, VRAM, null));
        Check(Native.n3ds_write_register(n3ds, 0x400490, 4 * HEIGHT, null));
        Check(Native.n3ds_write_register(n3ds, 0x400470, 0x80340, null));
    }

    private static void Present(triglyph_n3ds* n3ds)
    {
        var pixels = new byte[4 * WIDTH * HEIGHT];
        fixed (byte* bytes = pixels)
        {
            var rows = new triglyph_rows
            {
                size = (uint)sizeof(triglyph_rows),
                format = (uint)triglyph_host_format.Rgba8,
                bytes = bytes,
                length = (UIntPtr)pixels.Length,
                stride = (UIntPtr)(4 * WIDTH),
            };
            var shown = new triglyph_shown { size = (uint)sizeof(triglyph_shown) };
            var screen = (uint)triglyph_n3ds_screen.Top;
            Check(Native.n3ds_present_screen(n3ds, screen, 0, &rows, null, &shown));
            Console.Write("top screen: " + shown.width + " x " + shown.height + ", ");
        }
        for (var at = 4; at < pixels.Length; at++)
        {
            if (pixels[at] != pixels[at % 4])
            {
                throw new InvalidOperationException("pixels differ");
            }
        }
        Console.WriteLine("every pixel #" + BitConverter.ToString(pixels, 0, 4).Replace("-", "").ToLowerInvariant());
    }

    public static void Main()
    {
        if (Native.abi_version() != Native.ABI_VERSION)
        {
            throw new InvalidOperationException("libtriglyph has another interface");
        }
        var options = new triglyph_options { size = (uint)sizeof(triglyph_options) };
        Check(Native.options_init(&options));
        options.threads = 1;
        triglyph_n3ds* n3ds;
        Check(Native.n3ds_create(&options, &n3ds));
        var device = Native.n3ds_device(n3ds);
        Check(Native.set_fault_callback(device, OnFault, null));
        Check(Native.map(device, Native.N3DS_SPACE_PHYSICAL, VRAM, 6 << 20, Native.ACCESS_READ_WRITE));
        Fill(n3ds, 0x304050FF);
        Show(n3ds);
        Present(n3ds);
        Console.WriteLine("faults: " + faults);
        Check(Native.set_fault_callback(device, null, null));
        Check(Native.n3ds_destroy(n3ds));
    }
}
